/** The models in the answer to `session/new`. Agents may keep that session, and not every agent lists models. */
import { at, listAt, parsed } from "../jsonFields.ts"
import { makeJsonRpc } from "../jsonRpc.ts"
import { listed, type ModelsQuestion } from "../Models.ts"
import { initializeParams } from "./live/handshake.ts"
import { failureOf } from "./live/outcomes.ts"

/** The options of a choice, also in groups. */
const choicesIn = (choice: unknown): ReadonlyArray<unknown> =>
  listAt(choice, "options").flatMap((option) => (at(option, "value") === undefined ? choicesIn(option) : [option]))

const ofSession = (result: unknown) => {
  const available = at(result, "models", "availableModels")
  const current = at(result, "models", "currentModelId")
  const isDefault = (key: string, value: unknown) => (fields: object) => at(fields, key) === value
  if (available !== undefined)
    return listed(available, { id: "modelId", name: "name", isDefault: isDefault("modelId", current) })
  const choice = listAt(result, "configOptions").find((option) => at(option, "category") === "model")
  const chosen = isDefault("value", at(choice, "currentValue"))
  const choices = choice === undefined ? undefined : choicesIn(choice)
  return listed(choices, { id: "value", name: "name", isDefault: chosen })
}

export const dialogue: ModelsQuestion["dialogue"] = (cwd) => {
  const rpc = makeJsonRpc<"initialize" | "session">()
  return {
    open: [rpc.request("initialize", "initialize", initializeParams)],
    line: (text) => {
      const message = rpc.receive(parsed(text))
      if (message._tag === "Refused") return { outcome: failureOf(message.error) }
      if (message._tag !== "Answered") return {}
      if (message.purpose === "session") return { outcome: ofSession(message.result) }
      return { write: [rpc.request("session", "session/new", { cwd, mcpServers: [] })] }
    }
  }
}
