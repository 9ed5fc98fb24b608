/** The parts of a whole stream → the result of a call that does not stream; pure. Here void text is left out. */
import type { Content, GenerateResult, StreamPart, Warning } from "./spec.ts"

const withoutLast = (content: Array<Content>, characters: number): Array<Content> => {
  if (characters === 0) return content
  let left = characters
  const kept = content.toReversed().flatMap((part): ReadonlyArray<Content> => {
    if (part.type !== "text") return [part]
    const cut = Math.min(left, part.text.length)
    left -= cut
    return cut === part.text.length ? [] : [{ ...part, text: part.text.slice(0, part.text.length - cut) }]
  })
  return kept.reverse()
}

const voidedBy = ({ providerMetadata }: Extract<StreamPart, { readonly type: "text-end" }>): number => {
  const voided = providerMetadata?.["reins"]?.["voidedCharacters"]
  return typeof voided === "number" ? voided : 0
}

/** Undefined for a stream that did not finish. */
export const resultOf = (
  parts: ReadonlyArray<StreamPart>,
  warnings: ReadonlyArray<Warning>
): GenerateResult | undefined => {
  let content: Array<Content> = []
  let pieces: Array<string> = []
  let response: Pick<GenerateResult, "response"> = {}
  for (const part of parts) {
    switch (part.type) {
      case "tool-call":
      case "tool-result":
        content.push(part)
        break
      case "text-delta":
      case "reasoning-delta":
        pieces.push(part.delta)
        break
      case "text-end":
        content.push({ type: "text", text: pieces.join("") })
        content = withoutLast(content, voidedBy(part))
        pieces = []
        break
      case "reasoning-end":
        content.push({ type: "reasoning", text: pieces.join("") })
        pieces = []
        break
      case "response-metadata":
        if (part.modelId !== undefined) response = { response: { modelId: part.modelId } }
        break
      case "finish": {
        const { usage, finishReason, providerMetadata = {} } = part
        return { content, usage, finishReason, providerMetadata, warnings: [...warnings], ...response }
      }
    }
  }
  return undefined
}
