/** Tools written with Effect's `Toolkit` as functions of the host: the way to define them at the Effect door. */
import { Cause, Effect, Option, Predicate, Stream } from "effect"
import * as AiError from "effect/ai/AiError"
import * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import type { HostTool } from "./contract/HostTool.ts"

/**
 * What the handlers need is taken from where this is called, and is theirs for as long as the tools are. A tool gets
 * its input decoded and gives its result encoded; a wrong input, a failure and a defect are told to the model.
 * Approvals are the session's, not the tool's `needsApproval`. A tool that its provider runs is a defect.
 */
export const hostToolsOf = Effect.fnUntraced(function* <Tools extends Record<string, Tool.Any>>(
  toolkit: Toolkit.Toolkit<Tools>
): Effect.fn.Return<
  ReadonlyArray<HostTool>,
  never,
  Tool.HandlersFor<Tools> | Tool.HandlerServices<Tools[keyof Tools]>
> {
  const handlers = yield* toolkit
  const strange = Object.values(handlers.tools).find(hasNoHandler)
  if (strange !== undefined) return yield* Effect.die(new Error(`Nobody here runs the tool ${strange.name}`))
  const context = yield* Effect.context<Tool.HandlerServices<Tools[keyof Tools]>>()
  return Object.values(handlers.tools).map((tool): HostTool => {
    // The record is keyed by the tools' names; `handle` decodes what it gets, whatever that is.
    const handle = (input: unknown) => handlers.handle(tool.name as keyof Tools, input as never)
    return {
      name: tool.name,
      description: Tool.getDescription(tool) ?? "",
      inputSchema: inputSchemaOf(tool),
      run: (input) =>
        Stream.unwrap(handle(input)).pipe(
          Stream.runLast,
          Effect.flatMap(outcomeOf),
          Effect.catchIf(AiError.isAiError, (error) => Effect.fail(new Error(error.reason.message, { cause: error }))),
          Effect.provideContext(context)
        )
    }
  })
})

const hasNoHandler = (tool: Tool.Any) => Tool.isProviderDefined(tool) && !tool.requiresHandler

/** The last result is the result. */
const outcomeOf = <T extends Tool.Any>(last: Option.Option<Tool.HandlerResult<T>>) => {
  if (Option.isNone(last)) return Effect.fail(new Cause.NoSuchElementError("The tool gave no result."))
  const { result, encodedResult, isFailure } = last.value
  if (!isFailure) return Effect.succeed(encodedResult)
  return Effect.fail(result instanceof Error ? result : encodedResult)
}

/** MCP wants an object at the root, where a schema with a name has a reference. */
const inputSchemaOf = (tool: Tool.Any) => {
  const { $ref, ...schema } = Tool.getJsonSchema(tool)
  const definitions = Predicate.isObject(schema["$defs"]) ? schema["$defs"] : {}
  const root = Object.entries(definitions).find(([name]) => $ref === `#/$defs/${name}`)?.[1]
  return { ...schema, ...(Predicate.isObject(root) ? root : {}), type: "object" }
}
