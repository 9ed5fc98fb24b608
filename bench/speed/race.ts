/** Hosts that did the same, taken in turns → one table: a row for each host, a column for each quantity. */
import type { Sample } from "./sample.ts"
import { difference, median, ratio, spreadOf } from "./statistics.ts"
import { spread, type Table } from "./table.ts"

/** A measured quantity of a sample. */
export type Quantity<S> = (sample: S) => number

export interface Column<Host> {
  readonly head: string
  readonly cell: (host: Host) => string
}

export const cpu = ({ cpuMs }: Sample) => cpuMs
export const wall = ({ wallMs }: Sample) => wallMs
export const peak = ({ peakMb }: Sample) => peakMb

export const raceOf = <Host extends string, S>(
  /** The hosts as the table names them, in its order. */
  names: Readonly<Partial<Record<Host, string>>>,
  taken: Readonly<Partial<Record<Host, ReadonlyArray<S>>>>
) => {
  const values = (host: Host, quantity: Quantity<S>) => (taken[host] ?? []).map(quantity)
  const times = (host: Host, rival: Host, quantity: Quantity<S>) =>
    ratio(values(host, quantity), values(rival, quantity))
  const more = (host: Host, rival: Host, quantity: Quantity<S>) =>
    difference(values(host, quantity), values(rival, quantity))
  const columnOf = (head: string, rival: Host | undefined, cell: (host: Host) => ReturnType<typeof spreadOf>) => ({
    head,
    cell: (host: Host) => (host === rival ? "" : spread(cell(host)))
  })
  return {
    median: (host: Host, quantity: Quantity<S>) => median(values(host, quantity)),
    /** How many times that of the rival, sample by sample. */
    times: (host: Host, rival: Host, quantity: Quantity<S>) => times(host, rival, quantity).median,
    /** How much more than the rival, sample by sample. */
    more: (host: Host, rival: Host, quantity: Quantity<S>) => more(host, rival, quantity).median,
    column: (head: string, quantity: Quantity<S>): Column<Host> =>
      columnOf(head, undefined, (host) => spreadOf(values(host, quantity))),
    columnTimes: (head: string, rival: Host, quantity: Quantity<S>): Column<Host> =>
      columnOf(head, rival, (host) => times(host, rival, quantity)),
    columnMore: (head: string, rival: Host, quantity: Quantity<S>): Column<Host> =>
      columnOf(head, rival, (host) => more(host, rival, quantity)),
    table: (columns: ReadonlyArray<Column<Host>>, around: Pick<Table, "title" | "about" | "verdicts">): Table => ({
      ...around,
      head: ["", ...columns.map(({ head }) => head)],
      rows: (Object.keys(names) as unknown as ReadonlyArray<Host>).map((host) => [
        // the keys that its type names
        names[host] ?? host,
        ...columns.map(({ cell }) => cell(host))
      ])
    })
  }
}
