/** A look that shows something before all of it is read. */

/** For who wants to show something early. */
export interface FirstRecords {
  /** Called once at most, with the first records and the zone of the store, if a store reads in parts and there are more. A store may leave it alone. */
  readonly onRecords?: (records: readonly unknown[], timeZone?: string) => void;
}
