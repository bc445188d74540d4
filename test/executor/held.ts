/** A callback that ends when it is told to, and tells when it was called. */
export function held(): {
  callback: () => Promise<void>;
  calls: number;
  end: () => void;
  fail: (error: unknown) => void;
} {
  const ends: Array<{ resolve: () => void; reject: (error: unknown) => void }> = [];
  const control = {
    calls: 0,
    callback: (): Promise<void> => {
      control.calls++;
      return new Promise((resolve, reject) => ends.push({ resolve, reject }));
    },
    end: () => ends.shift()?.resolve(),
    fail: (error: unknown) => ends.shift()?.reject(error),
  };
  return control;
}
