/** The Schemas of functions of the host; their types are in `types/HostTool.ts`. */
import { Predicate, Schema } from "effect"
import type * as Types from "./types/HostTool.ts"

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

export type HostTool = Types.HostTool
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

export const HookEvent = Schema.Literals(["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"])
export type HookEvent = Types.HookEvent

const isHookEvent = Schema.is(HookEvent)

export type Hook = Types.Hook
export const Hook = Schema.declare(
  (input): input is Hook =>
    Predicate.hasProperty(input, "event") &&
    isHookEvent(input.event) &&
    Predicate.hasProperty(input, "run") &&
    Predicate.isFunction(input.run),
  { expected: `a hook: { event: ${HookEvent.literals.join(" | ")}, matcher, run }` }
)
