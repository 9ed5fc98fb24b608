/** The input of a measurement, and its output: a table for each of its questions. */
import type { Table } from "./table.ts"
import type { Workspace } from "./workspace.ts"

export interface Bench {
  readonly workspace: Workspace
  /** Behind every number that is compared. */
  readonly samples: number
  /** Whether this table was asked for. */
  readonly isWanted: (name: string) => boolean
}

export interface Row {
  /** Memory of its tables. */
  readonly names: ReadonlyArray<string>
  readonly measure: (bench: Bench) => Promise<ReadonlyArray<Table>>
}
