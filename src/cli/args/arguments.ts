/** From the words behind a command to its options and positionals, by `parseArgs`, with our own words for what is wrong. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { visible } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import { CliError } from '../errors.ts';
import type { Arguments, Command } from './command.ts';
import { OPTION_ALIASES, OPTION_ANSWERS } from './synonyms.ts';

/** Every command has this one. */
const common: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } };

export interface ParsedArguments extends Arguments {
  readonly wantsHelp: boolean;
}

export function readArguments(command: Command, words: readonly string[]): ParsedArguments {
  const options = { ...common, ...command.options };
  const { values, positionals, tokens } = parseArgs({
    args: filledIn(respelt(words, options), command.leftOut ?? {}),
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const wantsHelp = values.help === true;
  if (!wantsHelp) {
    for (const token of tokens) if (token.kind === 'option') checkOption(token, options);
    checkConnectionStrings(command, positionals, values);
    checkPositionals(command, positionals);
  }
  return { values, positionals, wantsHelp };
}

/** The same words, with our own spelling of options that have several: --timezone is --tz. What stands behind "--" is no option. */
function respelt(words: readonly string[], options: ParseArgsOptionsConfig): string[] {
  const end = words.indexOf('--');
  return words.map((word, index) => {
    const [, name, value = ''] = /^--([^=]+)(=.*)?$/s.exec(word) ?? [];
    const isAlias =
      name !== undefined && !Object.hasOwn(options, name) && Object.hasOwn(OPTION_ALIASES, name);
    const isOption = end < 0 || index < end;
    return isAlias && isOption && Object.hasOwn(options, OPTION_ALIASES[name])
      ? `--${OPTION_ALIASES[name]}${value}`
      : word;
  });
}

/** The same words, with the value of an option that stands without one. */
function filledIn(words: readonly string[], leftOut: NonNullable<Command['leftOut']>): string[] {
  const end = words.indexOf('--');
  return words.map((word, index) => {
    const name = word.slice(2);
    if (!word.startsWith('--') || (end >= 0 && index >= end) || !Object.hasOwn(leftOut, name)) return word;
    const { pattern, value } = leftOut[name];
    return pattern.test(words[index + 1] ?? '') ? word : `${word}=${value}`;
  });
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function checkOption(
  { name, rawName, value, inlineValue }: OptionToken,
  options: ParseArgsOptionsConfig,
): void {
  const written = visible(rawName, 40);
  if (!Object.hasOwn(options, name)) {
    if (Object.hasOwn(OPTION_ANSWERS, name))
      throw new CliError('usage', `There is no ${written} here: ${OPTION_ANSWERS[name]}`);
    const meant = nearest(name, Object.keys(options));
    throw new CliError(
      'usage',
      `Unknown option ${written}${meant === undefined ? '' : `: did you mean --${meant}?`}`,
    );
  }
  if (options[name].type === 'boolean') {
    if (value !== undefined) throw new CliError('usage', `${written} takes no value`);
    return;
  }
  // A word that looks like an option is taken for a forgotten value; "--store=-odd-" is the way to give such a one.
  // A negative number is no option: the code that reads the value says what it may be.
  const isForgotten = value === undefined || (inlineValue !== true && /^-[^\d]/.test(value));
  if (isForgotten) throw new CliError('usage', `${written} needs a value: ${written}=…`);
}

/** A connection string may hold a password, which no message may quote. */
export const isConnection = (word: string): boolean =>
  /^(postgres(ql)?:\/\/|[a-z][a-z0-9+.-]*:\/\/[^/]*@)/i.test(word);

/** One that stands where no store is expected is refused before anything else can quote it. */
function checkConnectionStrings(
  { name, positionals: expected, options }: Command,
  positionals: readonly string[],
  { store: _, ...values }: Arguments['values'],
): void {
  const isElsewhere =
    positionals.some((word, index) => isConnection(word) && expected[index]?.isStore !== true) ||
    Object.values(values)
      .flat()
      .some((value) => typeof value === 'string' && isConnection(value));
  if (!isElsewhere) return;
  const way = Object.hasOwn(options, 'store')
    ? ': give it as --store'
    : expected.some(({ isStore }) => isStore)
      ? `: give it as "obbligato ${name} <connection string>"`
      : '';
  throw new CliError('usage', `"${name}" takes no connection string here${way}`);
}

const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

function checkPositionals({ name, positionals: expected }: Command, given: readonly string[]): void {
  const missing = expected.find((positional, index) => positional.required === true && index >= given.length);
  if (missing !== undefined)
    throw new CliError('usage', `"${name}" needs ${missing.called ?? withArticle(missing.name)}`);
  const isOpen = expected.some(({ repeated }) => repeated === true);
  if (!isOpen && given.length > expected.length) {
    throw new CliError(
      'usage',
      `"${name}" does not know what to do with "${visible(given[expected.length], 60)}"`,
    );
  }
}
