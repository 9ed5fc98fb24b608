/** The models of Codex (0.169.0): `model/list` of `app-server`, page by page. */
import { at, parsed } from "../jsonFields.ts"
import { makeJsonRpc, notification } from "../jsonRpc.ts"
import { listed, type ModelsQuestion } from "../Models.ts"
import { livePlan } from "./command.ts"
import { initialize } from "./live/handshake.ts"
import { failureOf } from "./run/failures.ts"

const maxPages = 20

const keys = {
  id: "model",
  name: "displayName",
  efforts: (fields: object) => {
    const efforts = at(fields, "supportedReasoningEfforts")
    return Array.isArray(efforts) ? efforts.map((effort) => at(effort, "reasoningEffort")) : undefined
  },
  isDefault: (fields: object) => at(fields, "isDefault") === true
}

export const models: ModelsQuestion = {
  plan: (options, context) => livePlan({}, options, context),
  dialogue: () => {
    const rpc = makeJsonRpc<"initialize" | "page">()
    const entries: Array<unknown> = []
    let pages = 0
    const page = (cursor?: string) => rpc.request("page", "model/list", cursor === undefined ? {} : { cursor })
    return {
      open: [rpc.request("initialize", "initialize", initialize)],
      line: (text) => {
        const message = rpc.receive(parsed(text))
        if (message._tag === "Refused") return { outcome: failureOf(message.error.message) }
        if (message._tag !== "Answered") return {}
        if (message.purpose === "initialize") return { write: [notification("initialized"), page()] }
        const [data, cursor] = [at(message.result, "data"), at(message.result, "nextCursor")]
        if (!Array.isArray(data)) return { outcome: { type: "unlisted" } }
        entries.push(...data)
        pages += 1
        if (typeof cursor === "string" && pages < maxPages) return { write: [page(cursor)] }
        return { outcome: listed(entries, keys) }
      }
    }
  }
}
