/**
 * One program, from its start to its end.
 *
 *     held at the gate ──remembered on disk──▶ running ──exited, output closed──▶ ended
 *           │                                    │                                ▲
 *           └─ the scheduler dies: the gate      └─ asked to end: SIGTERM, ───────┘
 *              closes, the program never runs       after the grace SIGKILL
 *
 * The gate is a shell that waits for a word on a pipe before it becomes the program (`exec` keeps the process, its number and its
 * start). So there is no instant at which the program runs and is not remembered: if the scheduler is killed before the memo is
 * durable, the pipe closes, and the gate leaves. The program leads a session and a process group of its own, so that a Ctrl-C meant
 * for the scheduler does not reach it, and so that it can be ended with everything it has started.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { Lines } from '../text/lines.ts';
import { CommandFailedError, CommandStartError } from './errors.ts';
import { removeMemo, writeMemo } from './memo.ts';
import type { OutputLine } from './output.ts';
import { markOf, ownProcess, type StartedProgram, signalProgram } from './process-table.ts';
import { reasonOf, spawnReason, withoutArguments } from './start-failure.ts';

const GATE = 'read -r word <&3 && [ "$word" = go ] || exit 125; exec 3<&-; exec "$@"';

export interface ProgramPlan {
  readonly task: string;
  readonly runId: string;
  /** What to call it in messages. */
  readonly title: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly graceMs: number;
  /** What it reads on its standard input. */
  readonly stdin: string | undefined;
  /** What it answers settles when there is room for more. */
  readonly onOutput: (output: OutputLine) => Promise<unknown> | undefined;
}

/** Programs that run now. If this process exits in an orderly way, it asks them to end; a killed process cannot. */
const running = new Set<Program>();
const tellAll = (): void => {
  for (const program of running) program.tell('SIGTERM');
};

export class Program {
  /** Resolves when it is over, however it ended. */
  readonly over: Promise<void>;
  readonly #plan: ProgramPlan;
  readonly #child: ChildProcess;
  readonly #started: StartedProgram;
  readonly #result: Promise<readonly [number | null, NodeJS.Signals | null]>;
  #killer: NodeJS.Timeout | undefined;

  /** Holds a program at its gate. */
  static async prepare(plan: ProgramPlan): Promise<Program> {
    try {
      const child = spawn('/bin/sh', ['-c', GATE, 'obbligato', ...plan.argv], {
        cwd: plan.cwd,
        env: plan.env,
        detached: true,
        stdio: [plan.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', 'pipe'],
      });
      await once(child, 'spawn');
      return new Program(plan, child);
    } catch (error) {
      const reason = spawnReason(error, plan.cwd);
      throw new CommandStartError(plan.task, plan.title, reason, withoutArguments(error));
    }
  }

  private constructor(plan: ProgramPlan, child: ChildProcess) {
    const { pid = 0 } = child;
    this.#plan = plan;
    this.#child = child;
    this.#started = { pid, mark: markOf(pid) ?? '', runId: plan.runId };
    this.#result = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve([code, signal]));
    });
    this.over = this.#result.then(() => {
      clearTimeout(this.#killer);
      running.delete(this);
      if (running.size === 0) process.off('exit', tellAll);
    });
    if (running.size === 0) process.on('exit', tellAll);
    running.add(this);
    this.#tellLines('stdout', child.stdout);
    this.#tellLines('stderr', child.stderr);
    // A program that is killed at the gate closes it, and we may still be writing.
    child.stdio[3]?.on('error', () => {});
    // A program need not read all of its input.
    child.stdin?.on('error', () => {});
  }

  /** Opens the gate, once the program is remembered. Resolves when it has ended well; rejects when not. */
  async run(): Promise<void> {
    const { task, title, folder, stdin } = this.#plan;
    let path: string;
    try {
      path = await writeMemo(folder, { task, program: this.#started, owner: ownProcess() });
    } catch (error) {
      // No signal: if no descriptor is left, a process cannot be told from another one that has its number by now. The closed gate ends it.
      this.#child.stdio[3]?.destroy();
      await this.over;
      const reason = `it cannot be remembered in "${folder}": ${reasonOf(error)}`;
      throw new CommandStartError(task, title, reason, error);
    }
    const gate = this.#child.stdio[3];
    if (gate instanceof Socket) gate.end('go\n');
    this.#child.stdin?.end(stdin);
    const [exitCode, signal] = await this.#result;
    await removeMemo(path).catch(() => {}); // then the next start finds it, and that its program has ended
    if (exitCode !== 0) throw new CommandFailedError(task, title, exitCode, signal);
  }

  /** Asks it to end, and after the grace no longer asks. */
  end(): void {
    if (this.#killer !== undefined || !running.has(this)) return;
    this.#killer = setTimeout(() => {
      this.tell('SIGKILL');
      // What has left the group lives on, and may hold the output open; we do not wait for that.
      const letGo = (): void => {
        this.#child.stdout?.destroy();
        this.#child.stderr?.destroy();
      };
      if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.once('exit', letGo);
      else letGo();
    }, this.#plan.graceMs);
    this.tell('SIGTERM');
  }

  tell(signal: NodeJS.Signals): void {
    try {
      signalProgram(this.#started, signal);
    } catch {
      // It belongs to another user now (a program that changes its user): all we can do is wait for it.
    }
  }

  /** A stream is not read while its listener has no room, so that the program waits and not our memory fills. */
  #tellLines(stream: OutputLine['stream'], from: Readable | null): void {
    const { task, onOutput } = this.#plan;
    const waits = new Set<Promise<unknown>>();
    const lines = new Lines((line) => {
      const room = onOutput({ task, stream, line });
      if (room !== undefined) waits.add(room);
    });
    from
      ?.on('data', (chunk: Buffer) => {
        lines.push(chunk);
        if (waits.size === 0) return;
        from.pause();
        void Promise.allSettled(waits).then(() => from.resume());
        waits.clear();
      })
      .once('close', () => lines.end());
  }
}
