/** What a viewer may ask of the scheduler, each after a question. */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { type ControlResult, type Kind, post, type TaskRow } from './api.ts';
import { announcement, revision, site } from './model.ts';
import { messageOf } from './use-answer.ts';

const QUESTIONS: Readonly<Record<Kind, readonly [button: string, question: string]>> = {
  run: ['Run now', 'It starts at once; if it runs, once more right after its end.'],
  pause: [
    'Pause',
    'It starts no more by itself, through restarts and deploys, until it is resumed. What runs goes on.',
  ],
  resume: ['Resume', 'It starts again when it is next due.'],
  cancel: ['Cancel run', 'The signal of its run is aborted. How the task ends is up to its code.'],
};

export function Controls({ row }: { readonly row: TaskRow }): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null);
  const [kind, setKind] = useState<Kind>('run');
  const [catchUp, setCatchUp] = useState(false);
  const [busy, setBusy] = useState(false);
  if (site.value?.mayControl !== true) return null;
  const open = (each: Kind): void => {
    setKind(each);
    dialog.current?.showModal();
  };
  const confirm = async (): Promise<void> => {
    setBusy(true);
    announcement.value = await asked(kind, row.name, catchUp);
    setBusy(false);
    dialog.current?.close();
    revision.value++;
  };
  return (
    <div class="controls">
      {kindsFor(row).map((each) => (
        <button key={each} type="button" class={each === 'run' ? 'main' : ''} onClick={() => open(each)}>
          {QUESTIONS[each][0]}
        </button>
      ))}
      <dialog ref={dialog} aria-labelledby="question">
        <h2 id="question">
          {QUESTIONS[kind][0]}: {row.name}?
        </h2>
        <p>{QUESTIONS[kind][1]}</p>
        {kind === 'resume' ? <CatchUp isWanted={catchUp} choose={setCatchUp} /> : null}
        <Buttons
          text={QUESTIONS[kind][0]}
          isBusy={busy}
          leave={() => dialog.current?.close()}
          confirm={confirm}
        />
      </dialog>
    </div>
  );
}

interface ButtonsProps {
  readonly text: string;
  readonly isBusy: boolean;
  leave(): void;
  confirm(): void;
}

const Buttons = ({ text, isBusy, leave, confirm }: ButtonsProps): JSX.Element => (
  <div class="buttons">
    <button type="button" onClick={leave}>
      Leave it
    </button>
    <button type="button" class="main" disabled={isBusy} onClick={confirm}>
      {text}
    </button>
  </div>
);

const CatchUp = ({
  isWanted,
  choose,
}: {
  readonly isWanted: boolean;
  choose(isWanted: boolean): void;
}): JSX.Element => (
  <label>
    <input type="checkbox" checked={isWanted} onChange={(event) => choose(event.currentTarget.checked)} /> and
    serve what came due during the pause
  </label>
);

/** What may be asked of a task now. */
const kindsFor = ({ pausedAt, runningSince }: TaskRow): readonly Kind[] => [
  'run',
  pausedAt === null ? 'pause' : 'resume',
  ...(runningSince === null ? [] : (['cancel'] as const)),
];

async function asked(kind: Kind, task: string, catchUp: boolean): Promise<string> {
  try {
    const { state, text } = await post<ControlResult>('control', { kind, task, catchUp });
    return `${task}: ${state === 'refused' ? 'refused: ' : ''}${text}`;
  } catch (error) {
    return `${task}: ${messageOf(error)}`;
  }
}
