/** Refusals, with what holds of their tasks: it crosses from the thread as a page (K2). */
import type { Page } from './page.ts';
import { isShaped, unpackPage } from './page-records.ts';
import type { Refusal } from './port.ts';

export function withRecords(refused: readonly Refusal[], page: Page): readonly Refusal[] {
  const values: unknown[] = [];
  unpackPage(page, values);
  const records = new Map(values.filter(isShaped).map((record) => [record.name, record]));
  return refused.map((refusal) => {
    const record = refusal.missing ? undefined : records.get(refusal.name);
    return record === undefined ? refusal : { ...refusal, record };
  });
}
