// A row of `src/cli/acp/agents.ts` and what the protocol's registry has of the same agent → what differs; pure.
import { Option, Schema } from "effect"
import type { AcpAgentRow } from "../../src/cli/acp/agents.ts"

const Started = { args: Schema.optionalKey(Schema.Array(Schema.String)) }
const Package = Schema.Struct({ package: Schema.String, ...Started })
const Binary = Schema.Struct({ cmd: Schema.String, ...Started })

/** `ID/agent.json` of the registry, as far as it is used (`agent.schema.json`). */
const Registered = Schema.Struct({
  version: Schema.String,
  distribution: Schema.Struct({
    npx: Schema.optionalKey(Package),
    uvx: Schema.optionalKey(Package),
    binary: Schema.optionalKey(Schema.Record(Schema.String, Binary))
  })
})

const decode = Schema.decodeUnknownOption(Registered)

/** Without its version: `@a/b@1.0` and `c==1.0`. */
const nameOf = (packageName: string) => packageName.replace(/(?<=.)@[^/]*$|==.*$/, "")

/** The program of an archive, without its folder. */
const programOf = (cmd: string) => cmd.split(/[/\\]/).at(-1) ?? cmd

const quoted = (words: ReadonlyArray<string>) => JSON.stringify(words)

const argsProblem = (row: AcpAgentRow, args: ReadonlyArray<string> = []) =>
  quoted(args) === quoted(row.args) ? [] : [`args: ${quoted(row.args)}, in the registry ${quoted(args)}`]

/** The package of a command such as `npm install -g NAME`; undefined for another way. */
const installed = ({ install }: AcpAgentRow) =>
  /^(?:npm install -g|uv tool install(?: --python \S+)?) (\S+)$/.exec(install)?.[1]

/** `registered`: the parsed `agent.json`. Undefined if it has another form. */
export const differencesOf = (row: AcpAgentRow, registered: unknown): ReadonlyArray<string> | undefined => {
  const decoded = decode(registered)
  if (Option.isNone(decoded)) return undefined
  const { npx, uvx, binary = {} } = decoded.value.distribution
  const fromRegistry = npx ?? uvx
  const own = installed(row)
  const linux = binary["linux-x86_64"] ?? Object.values(binary)[0]
  const program = linux === undefined ? undefined : programOf(linux.cmd)
  return [
    ...(fromRegistry === undefined || own === undefined || nameOf(fromRegistry.package) === own
      ? []
      : [`package: ${own}, in the registry ${nameOf(fromRegistry.package)}`]),
    ...(program === undefined || program === row.command
      ? []
      : [`command: ${row.command}, in the registry ${program}`]),
    ...argsProblem(row, (fromRegistry ?? linux)?.args)
  ]
}
