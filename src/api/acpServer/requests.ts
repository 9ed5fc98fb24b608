/**
 * Requests of a client, by Schema and bounded: the parameters of each method of the Agent Client Protocol, version 1.
 * Unknown fields are ignored, as the protocol requires.
 */
import { isAbsolute } from "node:path"
import { Schema } from "effect"
import { makeParser } from "../../contract/checkInput.ts"

/** Any field may be missing or null. */
const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const upTo = (length: number) => Schema.String.check(Schema.isMaxLength(length))
const name = Schema.NonEmptyString.check(Schema.isMaxLength(256))

const list = <S extends Schema.Constraint>(schema: S, most: number) =>
  Schema.Array(schema).check(Schema.isMaxLength(most))

const absolutePath = Schema.NonEmptyString.check(
  Schema.isMaxLength(4096),
  Schema.makeFilter((path) => isAbsolute(path) && !path.includes("\0"), { expected: "an absolute path" })
)

const pairs = optional(list(Schema.Struct({ name, value: upTo(64 * 1024) }), 256))

/** Any of the forms of the protocol; `methods.ts` tells them apart. */
const McpServer = Schema.Struct({
  name,
  type: optional(name),
  command: optional(upTo(4096)),
  args: optional(list(upTo(32 * 1024), 256)),
  env: pairs,
  url: optional(upTo(4096)),
  headers: pairs
})
export type McpServerRequest = typeof McpServer.Type

const place = {
  cwd: absolutePath,
  additionalDirectories: optional(list(absolutePath, 64)),
  mcpServers: optional(list(McpServer, 64))
}

const sessionId = Schema.NonEmptyString.check(Schema.isMaxLength(128))

const Resource = Schema.Struct({
  uri: upTo(8192),
  mimeType: optional(name),
  text: optional(Schema.String),
  blob: optional(Schema.String)
})

const Block = Schema.Struct({
  type: name,
  text: optional(Schema.String),
  data: optional(Schema.String),
  mimeType: optional(name),
  uri: optional(upTo(8192)),
  name: optional(upTo(1024)),
  resource: optional(Resource)
})
export type ContentBlock = typeof Block.Type

const anything = Schema.optionalKey(Schema.Unknown)

const Initialize = Schema.Struct({
  protocolVersion: Schema.Finite,
  clientCapabilities: optional(
    Schema.Struct({
      session: optional(Schema.Struct({ notices: anything })),
      elicitation: optional(Schema.Struct({ form: anything }))
    })
  )
})
const NewSession = Schema.Struct(place)
export type SessionPlace = typeof NewSession.Type
const parser = <A>(schema: Schema.Codec<A, unknown>) => makeParser(schema, "params", "ignore")

export const parse = {
  initialize: parser(Initialize),
  newSession: parser(NewSession),
  /** Params of `session/load` and `session/resume`. */
  openSession: parser(Schema.Struct({ sessionId, ...place })),
  listSessions: parser(Schema.Struct({ cwd: optional(absolutePath), cursor: optional(upTo(256)) })),
  /** Params of `session/cancel` and `session/close`. */
  session: parser(Schema.Struct({ sessionId })),
  prompt: parser(Schema.Struct({ sessionId, prompt: list(Block, 256) })),
  setMode: parser(Schema.Struct({ sessionId, modeId: name })),
  setOption: parser(Schema.Struct({ sessionId, configId: name, value: name })),
  cancelRequest: parser(Schema.Struct({ requestId: Schema.Union([Schema.String, Schema.Finite]) }))
}
