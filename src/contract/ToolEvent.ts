/** The events of tool calls and plans, and the members that every event has. */
import { Schema } from "effect"
import { schemaOf } from "./schemaOf.ts"

/** The members that every event has. */
export interface EventParts {
  /** Tool call of the sub-agent that the event belongs to; absent for the main agent */
  readonly parentToolId?: string
}

/** The Schema of an event: its tag, its own fields, and the members that every event has. */
export const eventOf = <const Tag extends string, const Fields extends Schema.Struct.Fields>(
  identifier: string,
  tag: Tag,
  fields: Fields
) =>
  Schema.Struct({ type: Schema.tag(tag), ...fields, parentToolId: Schema.optionalKey(Schema.String) }).annotate({
    identifier
  })

/** The kind of a tool, derived from its name. */
export type ToolKind =
  | "command"
  | "file_change"
  | "read"
  | "search"
  | "web"
  | "mcp"
  | "subagent"
  | "plan"
  | "question"
  | "other"

export const ToolKind = schemaOf<ToolKind>()(
  Schema.Literals(["command", "file_change", "read", "search", "web", "mcp", "subagent", "plan", "question", "other"])
)

/** One change of a file, as the CLI reports it. Without `before` and `after` the file is only moved. */
export interface FileEdit {
  /** Absolute path */
  readonly path: string
  /** The replaced text, possibly with unchanged lines around it; absent if the whole file is written */
  readonly before?: string
  /** The new text; absent if the file is deleted */
  readonly after?: string
  /** Line number of `before`, from 1, if it is known */
  readonly line?: number
  /** Every occurrence of `before` is replaced */
  readonly everywhere?: true
  /** Absolute path of the moved file */
  readonly movedTo?: string
}

export const FileEdit = schemaOf<FileEdit>()(
  Schema.Struct({
    path: Schema.String,
    before: Schema.optionalKey(Schema.String),
    after: Schema.optionalKey(Schema.String),
    line: Schema.optionalKey(Schema.Finite),
    everywhere: Schema.optionalKey(Schema.Literal(true)),
    movedTo: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "FileEdit" })
)

/** The agent calls a tool. */
export interface ToolUseEvent extends EventParts {
  readonly type: "tool_use"
  /** As the CLI names it */
  readonly toolName: string
  /** Identifies the call; its tool_result has the same id */
  readonly toolId: string
  /** Arguments of the call */
  readonly input: unknown
  /** The kind of the tool, the same for every CLI */
  readonly kind?: ToolKind
  /** One line for people: the command, path, query… */
  readonly title?: string
  /**
   * Absolute paths that the call reads or changes, as far as the CLI names them: those of a command are mostly unknown.
   * At most 1,000, each of at most 4,096 characters
   */
  readonly paths?: ReadonlyArray<string>
  /** Changes of files, with their content; absent above 1,000 changes or 1 MiB of text: `input` has them all */
  readonly edits?: ReadonlyArray<FileEdit>
}

export const ToolUseEvent = schemaOf<ToolUseEvent>()(
  eventOf("ToolUseEvent", "tool_use", {
    toolName: Schema.String,
    toolId: Schema.String,
    input: Schema.Unknown,
    kind: Schema.optionalKey(ToolKind),
    title: Schema.optionalKey(Schema.String),
    paths: Schema.optionalKey(Schema.Array(Schema.String)),
    edits: Schema.optionalKey(Schema.Array(FileEdit))
  })
)

/** The images that a page may show: a program can hide in others, such as SVG. */
export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp"

export const ImageType = schemaOf<ImageType>()(Schema.Literals(["image/png", "image/jpeg", "image/gif", "image/webp"]))

/** An image in the result of a tool, such as a screenshot. */
export interface ToolMedia {
  /** By its bytes, whatever the CLI calls it */
  readonly mediaType: ImageType
  /** Size of the image */
  readonly bytes: number
  /** The image in base64; absent above 2 MiB, above 4 MiB for a result, and above 50 million pixels */
  readonly data?: string
}

export const ToolMedia = schemaOf<ToolMedia>()(
  Schema.Struct({
    mediaType: ImageType,
    bytes: Schema.Finite,
    data: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "ToolMedia" })
)

/** A tool call ended. */
export interface ToolResultEvent extends EventParts {
  readonly type: "tool_result"
  /** Id of the `tool_use` that it ends */
  readonly toolId: string
  /** Output for the model, as text */
  readonly output: string
  /** The call failed, or was denied */
  readonly isError: boolean
  /** Exit code of a command, where the CLI reports it: Claude Code only that of a failed one */
  readonly exitCode?: number
  /** The CLI's richer, tool-specific form */
  readonly raw?: unknown
  /** Changes of files that the CLI reports only with the result, as in `tool_use` */
  readonly edits?: ReadonlyArray<FileEdit>
  /** Images of the result, in order, where the CLI reports them. At most 16 */
  readonly media?: ReadonlyArray<ToolMedia>
}

export const ToolResultEvent = schemaOf<ToolResultEvent>()(
  eventOf("ToolResultEvent", "tool_result", {
    toolId: Schema.String,
    output: Schema.String,
    isError: Schema.Boolean,
    exitCode: Schema.optionalKey(Schema.Finite),
    raw: Schema.optionalKey(Schema.Unknown),
    edits: Schema.optionalKey(Schema.Array(FileEdit)),
    media: Schema.optionalKey(Schema.Array(ToolMedia))
  })
)

/** The progress of an entry of a plan. */
export type PlanStatus = "pending" | "in_progress" | "completed" | "cancelled" | "blocked"

export const PlanStatus = schemaOf<PlanStatus>()(
  Schema.Literals(["pending", "in_progress", "completed", "cancelled", "blocked"])
)

/** One step of a plan. */
export interface PlanEntry {
  /** The step, in the words of the agent */
  readonly text: string
  /** Absent if the CLI does not report it, or reports an unknown word */
  readonly status?: PlanStatus
}

export const PlanEntry = schemaOf<PlanEntry>()(
  Schema.Struct({ text: Schema.String, status: Schema.optionalKey(PlanStatus) }).annotate({ identifier: "PlanEntry" })
)

/** The agent's plan, each time it states it, after its `tool_use`: the to-do list as `entries`, or prose as `text`. */
export interface PlanEvent extends EventParts {
  readonly type: "plan"
  /** The whole current list, not the difference to the event before. At most 1,000 entries of 4,096 characters */
  readonly entries?: ReadonlyArray<PlanEntry>
  /** The plan in prose, such as one that the agent wants to be approved. At most 262,144 characters */
  readonly text?: string
  /** The call that states it; if its result is an error, the previous list is still valid */
  readonly toolId?: string
}

export const PlanEvent = schemaOf<PlanEvent>()(
  eventOf("PlanEvent", "plan", {
    entries: Schema.optionalKey(Schema.Array(PlanEntry)),
    text: Schema.optionalKey(Schema.String),
    toolId: Schema.optionalKey(Schema.String)
  })
)
