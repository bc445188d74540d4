/** 0, 1, …, `length` - 1. */
export const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
