/** Messages that this process knows: the names of new threads, and which key each own message had. Bounded. */
import { createHash } from "node:crypto"
import { cutAt, oneLine } from "../../../contract/text/harmless.ts"

/** Discord takes 25 characters. */
export const nonceOf = (key: string): string => createHash("sha256").update(key).digest("base64url").slice(0, 25)

const most = 2_000

const makeBounded = () => {
  const map = new Map<string, string>()
  return {
    get: (key: string) => map.get(key),
    set: (key: string, value: string) => {
      map.delete(key)
      map.set(key, value)
      const [oldest] = map.keys()
      if (map.size > most && oldest !== undefined) map.delete(oldest)
    }
  }
}

const nameLength = 90

export const makeMemory = () => {
  const [names, nonces, ids] = [makeBounded(), makeBounded(), makeBounded()]
  return {
    /** A message of a person, whose words may name a thread. */
    hear: (messageId: string, text: string) => {
      const name = cutAt(oneLine(text), nameLength).head
      if (name !== "") names.set(messageId, name)
    },
    threadName: (messageId: string): string | undefined => names.get(messageId),
    /** An own message, as it was sent or as the gateway tells of it: history has no nonces. */
    own: (nonce: string, messageId: string) => {
      nonces.set(messageId, nonce)
      ids.set(nonce, messageId)
    },
    /** The nonce of an own message; undefined if it is not known. */
    nonceOf: (messageId: string): string | undefined => nonces.get(messageId),
    idOf: (nonce: string): string | undefined => ids.get(nonce)
  }
}

export type Memory = ReturnType<typeof makeMemory>
