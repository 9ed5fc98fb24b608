/**
 * How a CLI stores its own sessions: where its files are, and their content. Data and pure functions over untrusted texts and
 * rows, which their reader bounds and checks (`stored/`). Loaded only to look up sessions, so that runs do not pay for it.
 */
import type { AgentUsage } from "../contract/AgentRunResult.ts"
import type { StoredItem } from "../contract/Sessions.ts"

export type { StoredItem } from "../contract/Sessions.ts"

/** Facts of a session, as its CLI keeps them. */
export interface StoredSession {
  readonly sessionId: string
  readonly directory?: string | undefined
  readonly title?: string | undefined
  readonly model?: string | undefined
  /** In ms since 1970. */
  readonly createdAt?: number | undefined
  /** In ms since 1970. Default: the time of the file's last change. */
  readonly usedAt?: number | undefined
  readonly turns?: number | undefined
  /** Cost of the whole session, in US dollars; for a fork, including its parent. */
  readonly costUsd?: number | undefined
  readonly isArchived?: boolean | undefined
}

/** Or the reason why this is not a session, a part of a sentence: `is empty`. Undefined if it has no prompt. */
export type StoredReading = StoredSession | string | undefined

/** Usage of one answer of a model, or of several in one turn. A later record of the same id includes an earlier one. */
export interface StoredUsage {
  readonly id: string
  /** In ms since 1970. */
  readonly at: number
  readonly usage?: AgentUsage | undefined
  readonly model?: string | undefined
  readonly costUsd?: number | undefined
}

/** The part of a file that is read for a list: at most 64 KiB of either end. */
export interface StoredFile {
  readonly name: string
  readonly head: string
  /** The end of a file that is longer than its head; else empty. */
  readonly tail: string
  /** Head and tail are all of it. */
  readonly isWhole: boolean
  /** The text of the file that `beside` names. */
  readonly beside: string | undefined
}

/** Reads the lines of a session's files, ordered by their names. */
export interface StoredReader {
  /** A line, parsed as JSON. */
  readonly line: (json: unknown) => ReadonlyArray<StoredItem>
  /** Called at the end of the file. */
  readonly end: () => ReadonlyArray<StoredItem>
}

/** The part of another session's file that comes before a session's own. */
export interface StoredBase {
  readonly sessionId: string
  readonly endByte: number
}

/** Usage in the files of a session, whose newest lines are the last. */
export interface StoredFilesUsage {
  /** A line without any of these texts has none: it is not parsed. */
  readonly marks: ReadonlyArray<string>
  /** Undefined for a line that is not about the usage of this session or its sub-agents. */
  readonly read: (json: unknown, sessionId: string) => StoredUsage | undefined
  /** Where files of sub-agents are, from the home on; those of other sessions may be among them. */
  readonly agents: (sessionId: string) => ReadonlyArray<ReadonlyArray<string | RegExp>>
}

/** Sessions that are files of lines of JSON. */
export interface StoredFiles {
  /** From the home to the files: a name, or all names that match. */
  readonly paths: ReadonlyArray<ReadonlyArray<string | RegExp>>
  /** From the folder of such a file to another with more facts about it. */
  readonly beside?: ReadonlyArray<string>
  /** The id of the session, where the name of the file has all of it. */
  readonly idOf?: (name: string) => string | undefined
  /** Whether a file of this name can be one of the session. */
  readonly isOf: (name: string, sessionId: string) => boolean
  readonly read: (file: StoredFile) => StoredReading
  readonly reader: (sessionId: string) => StoredReader
  /** By the first line of a file. */
  readonly baseOf?: (json: unknown) => StoredBase | undefined
  readonly usage?: StoredFilesUsage
}

/** The environment of the CLI. */
export type StoredEnv = Readonly<Record<string, string | undefined>> & { readonly HOME: string }

export type StoredRow = Readonly<Record<string, unknown>>

/** A table; missing columns are ignored, since those of other versions differ. */
export interface StoredTable {
  readonly name: string
  readonly columns: ReadonlyArray<string>
}

/** The rows of one session in a table, ordered by a column. */
export interface StoredRows extends StoredTable {
  readonly session: string
  readonly order: string
}

/** Usage in rows of a table. */
export interface StoredDatabaseUsage extends StoredTable {
  /** The column with the session's id, and the one with the time, in ms since 1970. */
  readonly session: string
  readonly time: string
  /** The column of `sessions` with the id of the session whose sub-agent's session it is. */
  readonly parent: string
  readonly read: (row: StoredRow) => StoredUsage | undefined
}

/** Sessions in an SQLite database. Where the CLI has files, too, it only adds facts to those. */
export interface StoredDatabase {
  /** The file in the home; of several matches, the one with the highest number. Undefined if the CLI has no database. */
  readonly file: (env: StoredEnv) => string | RegExp | undefined
  readonly sessions: StoredTable & {
    /** The column with the session's id. */
    readonly id: string
    /** Columns by which the newest come first; the first that is there counts. */
    readonly newest: ReadonlyArray<string>
  }
  readonly read: (row: StoredRow) => StoredReading
  /** Where prompts can be counted: the table, and a text that the rows of prompts have in a column. */
  readonly prompts?: {
    readonly table: string
    readonly session: string
    readonly column: string
    readonly contains: string
  }
  /** Items of a session without files. */
  readonly items?: {
    readonly tables: ReadonlyArray<StoredRows>
    /** The rows of each of the tables. */
    readonly read: (rows: ReadonlyArray<ReadonlyArray<StoredRow>>) => ReadonlyArray<StoredItem>
  }
  readonly usage?: StoredDatabaseUsage
}

export interface Stored {
  /** The directory that contains all of it. */
  readonly home: (env: StoredEnv) => string
  readonly files?: StoredFiles
  readonly database?: StoredDatabase
}
