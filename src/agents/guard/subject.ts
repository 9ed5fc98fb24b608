/**
 * The subject of a lock: a session of a CLI, or a conversation. The lock is named by a digest, so that any id makes a
 * file name; pure.
 */
import { createHash } from "node:crypto"

export interface SessionSubject {
  readonly what: "session"
  /** The id of the CLI. */
  readonly cli: string
  /** The CLI's own id of the session. */
  readonly sessionId: string
}

interface ConversationSubject {
  readonly what: "conversation"
  readonly key: ReadonlyArray<string>
  /** Identifies the store: conversations of the same name in two stores have nothing in common. */
  readonly store: string
}

export type Subject = SessionSubject | ConversationSubject

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The letters of a UUID mean the same in either case; those of other ids do not. */
const canonical = (sessionId: string) => (uuid.test(sessionId) ? sessionId.toLowerCase() : sessionId)

export const isSameSession = (one: string, other: string) => canonical(one) === canonical(other)

/** As JSON, no separator in a part makes two subjects one. */
const partsOf = (subject: Subject) =>
  subject.what === "session" ? [subject.cli, canonical(subject.sessionId)] : [subject.store, ...subject.key]

/** The name of its lock. */
export const lockName = (subject: Subject) =>
  `${subject.what}-${createHash("sha256")
    .update(JSON.stringify(partsOf(subject)))
    .digest("hex")}`

const mostCharacters = 200

/** For people: as much of it as fits into a message. */
export const subjectName = (subject: Subject) => {
  const name = subject.what === "session" ? subject.sessionId : subject.key.join(" / ")
  return name.length <= mostCharacters ? name : `${name.slice(0, mostCharacters)}…`
}
