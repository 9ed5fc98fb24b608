/** How the worktree of a conversation is made and prepared. */
import { Schema } from "effect"
import { DurationInput } from "./Input.ts"
import { schemaOf } from "./schemaOf.ts"

/** The options of a new worktree; they are the user's own, and never the repository's. */
export interface WorktreeOptions {
  /**
   * A command line for the shell that is run in a new worktree before the first turn, such as `npm ci`. With the environment
   * of the host. Default: none.
   */
  readonly setup?: string | undefined
  /** The setup is ended after this time. Default: 10 minutes. */
  readonly setupTimeout?: DurationInput | undefined
  /** Files that git ignores and that are copied from the directory, such as `.env`; at most 10 MB each. Default: none. */
  readonly copy?: ReadonlyArray<string> | undefined
  /** Maximum number of worktrees on this machine. Default: 20. */
  readonly maxWorktrees?: number | undefined
  /** Maximum size of the files of a new worktree, in megabytes. Default: 5,000. */
  readonly maxMegabytes?: number | undefined
}

/** A path below the directory, as it is written in a list of files: without `..` and `.git`. */
export const isRelativePath = (path: string): boolean =>
  path.length <= 512 &&
  !/\p{Cc}/u.test(path) &&
  !/^[/\\]|^[A-Za-z]:/.test(path) &&
  !path.split(/[/\\]/).some((name) => name === "" || name === "." || name === ".." || name.toLowerCase() === ".git")

const RelativePath = Schema.String.check(
  Schema.makeFilter(isRelativePath, { expected: "a path below the directory, without `..` and `.git`" })
)

const Line = Schema.NonEmptyString.check(
  Schema.makeFilter((text) => text.trim() !== "" && text.length <= 4_000 && !text.includes("\0"), {
    expected: "a command line of at most 4,000 characters"
  })
)

const fields = {
  setup: Schema.optional(Line),
  setupTimeout: Schema.optional(DurationInput),
  copy: Schema.optional(Schema.Array(RelativePath).check(Schema.isMaxLength(100))),
  maxWorktrees: Schema.optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))),
  maxMegabytes: Schema.optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000_000 })))
}

export const WorktreeOptions = schemaOf<WorktreeOptions>()(Schema.Struct(fields))
