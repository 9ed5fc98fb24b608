/**
 * The models of an agent of the Agent Client Protocol: in its answer to `session/new`, which agents may keep as an empty
 * session. Not every agent lists them.
 */
import { makeJsonRpc } from "../jsonRpc.ts"
import { below, jsonOf, listed, type ModelsQuestion } from "../Models.ts"
import { failureOf } from "./live/failures.ts"
import { initializeParams } from "./live/handshake.ts"

/** The options of a choice, also where they stand in groups. */
const choicesIn = (options: unknown): ReadonlyArray<unknown> =>
  Array.isArray(options)
    ? options.flatMap(
        (option): ReadonlyArray<unknown> =>
          below(option, "value") === undefined ? choicesIn(below(option, "options")) : [option]
      )
    : []

const ofSession = (result: unknown) => {
  const available = below(result, "models", "availableModels")
  const current = below(result, "models", "currentModelId")
  const isDefault = (key: string, value: unknown) => (fields: object) => below(fields, key) === value
  if (available !== undefined)
    return listed(available, { id: "modelId", name: "name", isDefault: isDefault("modelId", current) })
  const options = below(result, "configOptions")
  const choice = Array.isArray(options) ? options.find((option) => below(option, "category") === "model") : undefined
  const chosen = isDefault("value", below(choice, "currentValue"))
  const choices = choice === undefined ? undefined : choicesIn(below(choice, "options"))
  return listed(choices, { id: "value", name: "name", isDefault: chosen })
}

export const dialogue: ModelsQuestion["dialogue"] = (cwd) => {
  const rpc = makeJsonRpc<"initialize" | "session">()
  return {
    open: [rpc.request("initialize", "initialize", initializeParams)],
    line: (text) => {
      const message = rpc.receive(jsonOf(text))
      if (message._tag === "Refused") return { outcome: failureOf(message.error) }
      if (message._tag !== "Answered") return {}
      if (message.purpose === "session") return { outcome: ofSession(message.result) }
      return { write: [rpc.request("session", "session/new", { cwd, mcpServers: [] })] }
    }
  }
}
