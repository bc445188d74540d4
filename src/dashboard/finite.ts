/** JSON has no infinities: what is none is `null`. */
export const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
