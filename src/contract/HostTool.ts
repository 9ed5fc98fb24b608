/** Functions of the host that an agent can call: tools for the model, and hooks of Claude Code. */
import { Predicate, Schema } from "effect"
import type { Eventually } from "./Input.ts"
import { schemaOf } from "./schemaOf.ts"

const toolName = /^[\w-]+$/
const JsonObject = Schema.Record(Schema.String, Schema.Unknown)

/** The form of an input schema in MCP; `type` may be left out. */
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

/** The second argument of a function of the host, after its input. */
export interface CallContext {
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal
}

/**
 * A tool that a function of the host implements. It returns a text or any JSON for the model. Claude Code and Codex
 * show JSON that is not an object, also as a text, as `{ "result": … }`.
 */
export interface HostTool {
  /** Letters, digits, `_` and `-`. */
  readonly name: string
  /** Description for the model. */
  readonly description: string
  /** JSON Schema of the input, which is an object. The input of a call is not checked against it. */
  readonly inputSchema: { readonly [keyword: string]: unknown }
  /** A failure is shown to the model as an error of the tool; the session continues. */
  readonly run: (input: unknown, context: CallContext) => Eventually<unknown>
}

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

/** Name of the MCP server with the host's tools: Claude Code names them `mcp__host__<name>`. */
export const hostServer = "host"

/** The events on which Claude Code calls a hook. */
export type HookEvent = "PreToolUse" | "PostToolUse" | "UserPromptSubmit" | "Stop"

export const HookEvent = schemaOf<HookEvent>()(
  Schema.Literals(["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"])
)

const isHookEvent = Schema.is(HookEvent)

/** A function that Claude Code (2.1.328) calls on an event, and waits for. */
export interface Hook {
  /** When it is called. */
  readonly event: HookEvent
  /** Name of a tool, or several separated by `|`. Default: all. */
  readonly matcher?: string
  /**
   * Gets the input of Claude Code (`tool_name`, `tool_input`…) and returns nothing, or `{ hookSpecificOutput: {
   * hookEventName, permissionDecision, … } }`. A failure is only a warning.
   */
  readonly run: (input: unknown, context: CallContext) => Eventually<unknown>
}

export const Hook = Schema.declare(
  (input): input is Hook =>
    Predicate.hasProperty(input, "event") &&
    isHookEvent(input.event) &&
    Predicate.hasProperty(input, "run") &&
    Predicate.isFunction(input.run),
  { expected: `a hook: { event: ${HookEvent.literals.join(" | ")}, matcher, run }` }
)
