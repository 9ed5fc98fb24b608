/** Facts that make two questions the same turn: the conversation, the prompt and its attachments; pure. */
import { createHash } from "node:crypto"
import { Predicate } from "effect"
import type { KeyParts } from "./conversationKey.ts"

/** The bytes of an attachment by their hash, all else as it is. */
const attachmentFacts = (attachment: unknown): unknown => {
  if (!Predicate.isObject(attachment)) return attachment
  return Object.entries(attachment)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => [
      name,
      value instanceof Uint8Array ? createHash("sha256").update(value).digest("hex") : value
    ])
}

/** Hexadecimal SHA-256. */
export const turnDigest = (
  key: KeyParts | undefined,
  { prompt, attachments = [] }: { readonly prompt?: unknown; readonly attachments?: unknown }
): string => {
  const files: ReadonlyArray<unknown> = Array.isArray(attachments) ? attachments : [attachments]
  const facts = [key ?? null, prompt ?? null, files.map(attachmentFacts)]
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex")
}
