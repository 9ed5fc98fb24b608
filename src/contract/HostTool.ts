/** Functions of the host that an agent can call: tools for the model, and hooks of Claude Code. */
import { Predicate, Schema } from "effect"
import type { Eventually } from "./eventually.ts"

/**
 * What a tool gives: a text, or any JSON, which the model sees as such. Numbers, lists and whatever else is no object,
 * also as a text, Claude Code and Codex show to it as `{ "result": … }`.
 */
export interface HostTool {
  /** Letters, digits, `_` and `-`. */
  readonly name: string
  /** For the model. */
  readonly description: string
  /** JSON Schema of the input, an object. What the model gives is not checked against it. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** A failure is told to the model as the tool's error; the session goes on. */
  readonly run: (input: unknown, context: { readonly signal: AbortSignal }) => Eventually<unknown>
}

const toolName = /^[\w-]+$/

const JsonObject = Schema.Record(Schema.String, Schema.Unknown)

/** What MCP takes for the input of a tool; `type` may be left out. */
const isInputSchema = Schema.is(
  Schema.StructWithRest(
    Schema.Struct({
      type: Schema.optionalKey(Schema.Literal("object")),
      properties: Schema.optionalKey(Schema.Record(Schema.String, Schema.Union([JsonObject, Schema.Boolean]))),
      required: Schema.optionalKey(Schema.Array(Schema.String))
    }),
    [JsonObject]
  )
)

export const HostTool = Schema.declare(
  (input): input is HostTool =>
    Predicate.hasProperty(input, "name") &&
    Predicate.isString(input.name) &&
    toolName.test(input.name) &&
    Predicate.hasProperty(input, "description") &&
    Predicate.isString(input.description) &&
    Predicate.hasProperty(input, "inputSchema") &&
    isInputSchema(input.inputSchema) &&
    Predicate.hasProperty(input, "run") &&
    Predicate.isFunction(input.run),
  { expected: "a tool: { name, description, inputSchema: JSON Schema of an object, run }" }
)

/** The name of the server by which the tools reach an agent: Claude Code calls one `mcp__host__<name>`. */
export const hostServer = "host"

export const HookEvent = Schema.Literals(["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"])
export type HookEvent = typeof HookEvent.Type

/** A function that Claude Code calls at a certain moment and waits for (2.1.328). */
export interface Hook {
  readonly event: HookEvent
  /** Name of a tool, or several parted by `|`. Default: all. */
  readonly matcher?: string
  /**
   * Gets what Claude Code tells (`tool_name`, `tool_input`…) and gives what it takes: nothing, or
   * `{ hookSpecificOutput: { hookEventName, permissionDecision, … } }`. A failure is a warning, and gives nothing.
   */
  readonly run: (input: unknown, context: { readonly signal: AbortSignal }) => Eventually<unknown>
}

const isHookEvent = Schema.is(HookEvent)

export const Hook = Schema.declare(
  (input): input is Hook =>
    Predicate.hasProperty(input, "event") &&
    isHookEvent(input.event) &&
    Predicate.hasProperty(input, "run") &&
    Predicate.isFunction(input.run),
  { expected: `a hook: { event: ${HookEvent.literals.join(" | ")}, matcher, run }` }
)
