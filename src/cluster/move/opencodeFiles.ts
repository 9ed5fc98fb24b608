/**
 * A session of OpenCode (1.18.33) as its `export` prints it and its `import` reads it. The import puts it into the directory
 * in which it is called, and messages of the same ids into the place of those that are there: all of them have to be of
 * this session.
 */
import { Option, Schema } from "effect"
import type { SessionFiles } from "./fileRoles.ts"

export const exportName = "session.json"

const sessionForm = /^ses_[A-Za-z0-9]{8,64}$/
const messageForm = /^msg_[A-Za-z0-9]{8,64}$/
const partForm = /^prt_[A-Za-z0-9]{8,64}$/

export const opencodeFiles: SessionFiles = {
  isId: (text) => sessionForm.test(text),
  roleOf: (path) => (path === exportName ? "own" : undefined),
  placed: (path) => path
}

const matching = (form: RegExp) => Schema.String.check(Schema.isPattern(form))
const part = Schema.Struct({ id: matching(partForm), messageID: Schema.String, sessionID: Schema.String })

const exported = Schema.Struct({
  info: Schema.Struct({ id: matching(sessionForm), parentID: Schema.optionalKey(Schema.NullOr(Schema.String)) }),
  messages: Schema.Array(
    Schema.Struct({
      info: Schema.Struct({ id: matching(messageForm), sessionID: Schema.String }),
      parts: Schema.Array(part)
    })
  )
})

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(exported))

/** The ids of the messages and parts of an export; undefined if it is not of this session alone. */
export const idsOfExport = (text: string, sessionId: string): ReadonlySet<string> | undefined => {
  const found = Option.getOrUndefined(decode(text))
  if (found === undefined || found.info.id !== sessionId || found.info.parentID != null) return undefined
  const isOwn = found.messages.every(
    ({ info, parts }) =>
      info.sessionID === sessionId && parts.every((one) => one.sessionID === sessionId && one.messageID === info.id)
  )
  if (!isOwn) return undefined
  const ids = found.messages.flatMap(({ info, parts }) => [info.id, ...parts.map(({ id }) => id)])
  const distinct = new Set(ids)
  return distinct.size === ids.length ? distinct : undefined
}
