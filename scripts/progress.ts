/** A progress bar on a terminal; a line every ten per cent elsewhere, so that a log tells too how far it has come. */

export interface Progress {
  advance(by?: number): void;
  /** Takes the bar off the screen. */
  end(): void;
}

export function createProgress(total: number, label: string): Progress {
  const out = process.stderr;
  const startedAt = Date.now();
  let done = 0;
  let shownAt = 0;
  let shownTenth = 0;
  const remaining = (): string => {
    const seconds = ((Date.now() - startedAt) / 1000 / done) * (total - done);
    return seconds > 90 ? `${Math.round(seconds / 60)} min left` : `${Math.round(seconds)} s left`;
  };
  return {
    advance(by = 1) {
      done += by;
      const percent = Math.floor((done / total) * 100);
      if (out.isTTY) {
        if (Date.now() - shownAt < 100 && done < total) return;
        shownAt = Date.now();
        const bar = '█'.repeat(Math.round(percent / 4)).padEnd(25, '░');
        out.write(`\r${bar} ${percent}% ${done}/${total} ${label}, ${remaining()}\u001b[K`);
      } else if (Math.floor(percent / 10) > shownTenth) {
        shownTenth = Math.floor(percent / 10);
        out.write(`${percent}% ${done}/${total} ${label}, ${remaining()}\n`);
      }
    },
    end() {
      if (out.isTTY) out.write('\r\u001b[K');
    },
  };
}
