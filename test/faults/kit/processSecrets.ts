/** Secrets in every place that takes one, a run that has them all, and whether a text gives one of them away. */
import { randomBytes } from "node:crypto"
import { Redacted } from "effect"
import { assert } from "vitest"
import type { Cli } from "../../../src/cli/Cli.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"

const hex = () => randomBytes(16).toString("hex")

/** With what a shell, a template, JSON and a configuration file would read in their own way. */
const make = (name: string) => `${name} "$HOME" \${x} \\n 'é' ${hex()}`

/** A key in several lines, as some are kept in a variable. */
const makeLines = (name: string) => `-----BEGIN ${name}-----\r\n${hex()}\r\n\t${hex()}\n-----END ${name}-----\n`

export const makeSecrets = () => ({
  prompt: make("prompt"),
  systemPrompt: make("system"),
  appendSystemPrompt: make("append"),
  outputSchema: make("schema"),
  /** Secrets of the host, by the name. */
  inherited: make("inherited"),
  /** Secrets of the agent. */
  agent: make("agent"),
  /** Secrets of the run, by the name and as `Redacted`; as it is read from a file. */
  named: `${make("named")}\n`,
  redacted: make("redacted"),
  lines: makeLines("key"),
  serverVariable: make("variable"),
  serverRedacted: make("server"),
  header: make("header"),
  headerRedacted: make("redacted-header")
})
export type Secrets = ReturnType<typeof makeSecrets>

export const optionsWith = (secrets: Secrets): AgentOptions => ({
  env: { values: { AGENT_PLACE: Redacted.make(secrets.agent) } }
})

export const hostWith = (secrets: Secrets) => ({ PATH: process.env["PATH"], SOME_API_KEY: secrets.inherited })

export const paramsWith = (cli: Cli, secrets: Secrets): AgentExecuteParams => {
  const params: AgentExecuteParams = {
    prompt: secrets.prompt,
    systemPrompt: secrets.systemPrompt,
    appendSystemPrompt: secrets.appendSystemPrompt,
    outputSchema: { type: "object", description: secrets.outputSchema },
    env: { RUN_TOKEN: secrets.named, RUN_PLACE: Redacted.make(secrets.redacted), RUN_KEY: secrets.lines },
    mcpServers: {
      local: {
        command: "server",
        env: { PLACE: secrets.serverVariable, OTHER: Redacted.make(secrets.serverRedacted) }
      },
      remote: {
        url: "http://127.0.0.1:1/mcp",
        headers: { "X-Place": secrets.header, "X-Other": Redacted.make(secrets.headerRedacted) }
      }
    }
  }
  const isTaken = (name: string) => (cli.supports as ReadonlySet<string>).has(name)
  const entries = Object.entries(params).filter(([name]) => name === "prompt" || name === "env" || isTaken(name))
  return { ...Object.fromEntries(entries), prompt: params.prompt }
}

/** Shorter parts come by chance: the ids of ten thousand spans have one of eight characters in one of 25 tests. */
const shortestPart = 12

/** The names of those of which the text has a part that is long enough to be told from chance. */
export const secretsIn = (text: string, secrets: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(secrets).flatMap(([name, secret]) => {
    const unique = [...secret.matchAll(/[0-9a-f]{32}/g)].map(([digits]) => digits)
    const parts = unique.flatMap((digits) =>
      Array.from({ length: digits.length - shortestPart + 1 }, (_, at) => digits.slice(at, at + shortestPart))
    )
    return parts.some((part) => text.includes(part)) ? [name] : []
  })

export const assertNone = (text: string, secrets: Readonly<Record<string, string>>, where: string) =>
  assert.deepStrictEqual(secretsIn(text, secrets), [], where)
