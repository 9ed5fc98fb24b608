/** Host tools from Effect's `Toolkit`, for callers of the Effect door. */
import { Cause, Effect, Option, Predicate, Stream } from "effect"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import type { HostTool } from "../contract/HostTool.ts"

/**
 * The services that the handlers need are taken from the context of this call. Inputs are decoded and results encoded; an
 * invalid input, a failure and a defect are shown to the model. Approvals are those of the session, not the tool's
 * `needsApproval`. A provider-defined tool without a handler is a defect.
 */
export const hostToolsOf = Effect.fnUntraced(function* <Tools extends Record<string, Tool.Any>>(
  toolkit: Toolkit.Toolkit<Tools>
): Effect.fn.Return<
  ReadonlyArray<HostTool>,
  never,
  Tool.HandlersFor<Tools> | Tool.HandlerServices<Tools[keyof Tools]>
> {
  // Callers with a toolkit have loaded them; others need not (a twentieth of what the door takes to load).
  const { isAiError } = yield* Effect.promise(() => import("effect/ai/AiError"))
  const { getDescription, getJsonSchema, isProviderDefined } = yield* Effect.promise(() => import("effect/ai/Tool"))
  const handlers = yield* toolkit
  const unhandled = Object.values(handlers.tools).find((tool) => isProviderDefined(tool) && !tool.requiresHandler)
  if (unhandled !== undefined) return yield* Effect.die(new Error(`The tool ${unhandled.name} has no handler`))
  const context = yield* Effect.context<Tool.HandlerServices<Tools[keyof Tools]>>()
  return Object.values(handlers.tools).map((tool): HostTool => {
    // The record is keyed by the tools' names; `handle` decodes any input.
    const handle = (input: unknown) => handlers.handle(tool.name as keyof Tools, input as never)
    return {
      name: tool.name,
      description: getDescription(tool) ?? "",
      inputSchema: objectOf(getJsonSchema(tool)),
      run: (input) =>
        Stream.unwrap(handle(input)).pipe(
          Stream.runLast,
          Effect.flatMap(outcomeOf),
          Effect.catchIf(isAiError, (error) => Effect.fail(new Error(error.reason.message, { cause: error }))),
          Effect.provideContext(context)
        )
    }
  })
})

/** The last result of the stream is the result of the tool. */
const outcomeOf = <T extends Tool.Any>(last: Option.Option<Tool.HandlerResult<T>>) => {
  if (Option.isNone(last)) return Effect.fail(new Cause.NoSuchElementError("The tool gave no result."))
  const { result, encodedResult, isFailure } = last.value
  if (!isFailure) return Effect.succeed(encodedResult)
  return Effect.fail(result instanceof Error ? result : encodedResult)
}

/** MCP needs an object at the root, where a named schema has a reference. */
const objectOf = ({ $ref, ...schema }: ReturnType<typeof Tool.getJsonSchema>) => {
  const definitions = Predicate.isObject(schema["$defs"]) ? schema["$defs"] : {}
  const root = Object.entries(definitions).find(([name]) => $ref === `#/$defs/${name}`)?.[1]
  return { ...schema, ...(Predicate.isObject(root) ? root : {}), type: "object" }
}
