/** A first configuration: shown by the help, and to whoever has none yet. */

/** Quoted here, and not in the text below, which is no import of this file's. */
const quotedName = "'obbligato'";

export const SAMPLE_CONFIG = `  import { command, defineConfig, minutes } from ${quotedName};

  export default defineConfig({
    tasks: [
      ['greet', '* * * * *', () => console.log('Hello!'), minutes(1)],
      ['backup', '30 3 * * *', command('./backup.sh'), minutes(10)],
    ],
  });
`;
