/**
 * Numbers of many rows, packed column by column. The rows of a batch are alike: the same minute, the first attempt, runs that are
 * counted one after the other. So a column is a base and the differences from it, in as few bytes as the largest one needs.
 *
 *     data    = count (u32), column …
 *     column  = base (f64), how (u8), values
 *     how     = bytes per value: 0 (all are the base), 1, 2, 4, or 8 (each is a whole f64)
 *               + NULLABLE: a value of 0 is NaN, and every other is one more than its difference
 *
 * NaN stands for null. What is read back is checked: bytes that are no such columns are a `DamagedEntry`.
 */

/** An entry of the journal cannot be read. */
export class DamagedEntry extends Error {}

const NULLABLE = 0x80;
const WIDTHS: readonly number[] = [0, 1, 2, 4, 8];
const COUNT_BYTES = 4;
const COLUMN_BYTES = 9;
const LARGEST = 0xffff_ffff;

/** What a column needs. */
interface Shape {
  readonly base: number;
  readonly bytes: number;
  readonly nullable: boolean;
}

function shapeOf(cells: Float64Array, width: number, column: number): Shape {
  let [smallest, largest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [missing, whole] = [false, true];
  for (let at = column; at < cells.length; at += width) {
    const value = cells[at];
    if (value < smallest) smallest = value;
    if (value > largest) largest = value;
    if (!Number.isSafeInteger(value)) {
      if (Number.isNaN(value)) missing = true;
      else whole = false;
    }
  }
  if (smallest > largest) return { base: Number.NaN, bytes: 0, nullable: false };
  if (!missing && smallest === largest) return { base: smallest, bytes: 0, nullable: false };
  const range = largest - smallest + (missing ? 1 : 0);
  if (!whole || range > LARGEST) return { base: 0, bytes: 8, nullable: false };
  return { base: smallest, bytes: bytesFor(range), nullable: missing };
}

const bytesFor = (range: number): number => (range <= 0xff ? 1 : range <= 0xffff ? 2 : 4);

/** Rows of `width` numbers each. */
export function encodeRows(cells: Float64Array, width: number): Uint8Array {
  const count = cells.length / width;
  const shapes = Array.from({ length: width }, (_, column) => shapeOf(cells, width, column));
  const size = shapes.reduce((sum, { bytes }) => sum + COLUMN_BYTES + bytes * count, COUNT_BYTES);
  const data = new DataView(new ArrayBuffer(size));
  data.setUint32(0, count, true);
  let to = COUNT_BYTES;
  for (const [column, shape] of shapes.entries()) {
    data.setFloat64(to, shape.base, true);
    data.setUint8(to + 8, shape.bytes + (shape.nullable ? NULLABLE : 0));
    to += COLUMN_BYTES;
    if (shape.bytes > 0) encodeColumn(data, to, shape, cells, column, width);
    to += shape.bytes * count;
  }
  return new Uint8Array(data.buffer);
}

function encodeColumn(
  data: DataView,
  from: number,
  { base, bytes, nullable }: Shape,
  cells: Float64Array,
  column: number,
  width: number,
): void {
  const first = nullable ? base - 1 : base;
  let to = from;
  for (let at = column; at < cells.length; at += width, to += bytes) {
    const value = cells[at];
    const difference = Number.isNaN(value) ? 0 : value - first;
    if (bytes === 1) data.setUint8(to, difference);
    else if (bytes === 2) data.setUint16(to, difference, true);
    else if (bytes === 4) data.setUint32(to, difference, true);
    else data.setFloat64(to, value, true);
  }
}

/**
 * The rows that `encodeRows` was given. Older entries lack some columns, which are NaN in their rows: `older` has the columns of each former form, which
 * are told apart by how many there are.
 */
export function decodeRows(
  bytes: Uint8Array,
  count: number,
  width: number,
  older: ReadonlyArray<readonly number[]> = [],
): Float64Array<ArrayBuffer> {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < COUNT_BYTES || data.getUint32(0, true) !== count)
    throw new DamagedEntry('its count is not that of its runs');
  const columns: Column[] = [];
  let size = COUNT_BYTES;
  while (size < bytes.length && columns.length < width) {
    if (size + COLUMN_BYTES > bytes.length) throw new DamagedEntry('it is too short');
    const how = data.getUint8(size + 8);
    if (!WIDTHS.includes(how & ~NULLABLE)) throw new DamagedEntry('its columns have no width');
    columns.push({ at: size, how });
    size += COLUMN_BYTES + (how & ~NULLABLE) * count;
  }
  const form = older.find(({ length }) => length === columns.length);
  if (size !== bytes.length || (columns.length < width && form === undefined))
    throw new DamagedEntry('its length is not that of its columns');
  const cells = new Float64Array(count * width);
  if (form !== undefined) cells.fill(Number.NaN);
  for (const [place, { at, how }] of columns.entries())
    decodeColumn(data, at, how, cells, form?.[place] ?? place, width);
  return cells;
}

interface Column {
  readonly at: number;
  readonly how: number;
}

function decodeColumn(
  data: DataView,
  from: number,
  how: number,
  cells: Float64Array,
  column: number,
  width: number,
): void {
  const base = data.getFloat64(from, true);
  const bytes = how & ~NULLABLE;
  const nullable = how !== bytes;
  const first = nullable ? base - 1 : base;
  let at = from + COLUMN_BYTES;
  for (let to = column; to < cells.length; to += width, at += bytes) {
    if (bytes === 0) cells[to] = base;
    else if (bytes === 8) cells[to] = data.getFloat64(at, true);
    else {
      const difference =
        bytes === 1 ? data.getUint8(at) : bytes === 2 ? data.getUint16(at, true) : data.getUint32(at, true);
      cells[to] = nullable && difference === 0 ? Number.NaN : first + difference;
    }
  }
}
