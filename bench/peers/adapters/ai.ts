/** Shared by the two providers of the AI SDK: `streamText`, its stream read to the end. */
import { type LanguageModel, streamText } from "ai"
import type { Task } from "../adapter.ts"
import { described, nothingTold } from "../adapter.ts"

export const throughAi = async (model: LanguageModel, { prompt, abort, timeoutMs, take }: Task): Promise<string> => {
  const answer = streamText({
    model,
    prompt,
    abortSignal: abort.signal,
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    // By default an error is also printed; it comes as a part in any case.
    onError: () => {}
  })
  let reported = nothingTold
  for await (const part of answer.stream) {
    if (part.type === "text-delta") await take({ kind: "text", text: part.text })
    if (part.type === "tool-call") await take({ kind: "tool" })
    if (part.type === "tool-result") await take({ kind: "output", length: JSON.stringify(part.output).length })
    if (part.type === "error") reported = `error part ${described(part.error)}`
    if (part.type === "abort") reported = "abort part"
    if (part.type !== "finish") continue
    if (reported === nothingTold) reported = `finish: ${part.finishReason}`
    await take({ kind: "result" })
  }
  return reported
}
