/**
 * MCP servers → `-c mcp_servers.NAME={…}`, with every secret off the command line (0.169.0). Codex reads configuration only
 * from its own home and its arguments, so the variables of a server are exported by a private script, and HTTP headers are
 * named in the arguments and set in Codex's environment, blanked for the model's commands.
 */
import type { InvalidParams } from "../../../contract/AgentError.ts"
import type { McpServer } from "../../../contract/AgentExecuteParams.ts"
import { type PlanFile, runMarker } from "../../../contract/Plan.ts"
import { reveal } from "../../../contract/Redacted.ts"
import { invalid } from "../../commandLine.ts"
import { keys, tomlList, tomlTable, tomlText } from "./flags.ts"

export interface McpPlan {
  /** `key=value` for `-c`. */
  readonly config: ReadonlyArray<string>
  readonly files: ReadonlyArray<PlanFile>
  readonly env: Readonly<Record<string, string>>
}

/** A dot would split the key of `-c`; the CLI accepts any other name. */
const serverName = /^[A-Za-z0-9_-]+$/
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

export const mcpProblem = (servers: Readonly<Record<string, McpServer>>): InvalidParams | undefined => {
  const refuse = (problem: string) => invalid("mcpServers", problem)
  for (const [name, server] of Object.entries(servers)) {
    const quoted = JSON.stringify(name)
    if (!serverName.test(name)) return refuse(`${quoted} is not a name for a server: use letters, digits, _ and -`)
    if ("url" in server) continue
    const wrong = Object.entries(server.env ?? {}).find(
      ([variable, value]) => !variableName.test(variable) || reveal(value).includes("\0")
    )
    if (wrong !== undefined) return refuse(`${quoted} has a variable ${JSON.stringify(wrong[0])} that cannot be set`)
  }
  return undefined
}

/** Without it a server that does not start is silently left out. */
const always = { required: "true" }

/** Without it the tools are refused in every sandbox, since `exec` cannot ask. A live session can. */
const unasked = { default_tools_approval_mode: tomlText("approve") }

/** A server gets none of the CLI's variables unasked; without the mark it would outlive the run. */
const mark = { env_vars: tomlList([runMarker]) }

/** Quoted so that a shell reads exactly this text. */
const shellQuoted = (value: string) => `'${value.replaceAll("'", "'\\''")}'`

/** Runs the file, which exports variables, then becomes the program. */
const withVariables = '. "$0" && exec "$@"'

type Table = Readonly<Record<string, string>>

const configOf = (name: string, table: Table, more: Table) =>
  `${keys.mcpServers}.${name}=${tomlTable({ ...table, ...always, ...more })}`

interface Place {
  readonly privateDirectory: string
  readonly more: Table
}

const nothing: McpPlan = { config: [], files: [], env: {} }

const serverPlan = (name: string, server: McpServer, index: number, place: Place): McpPlan => {
  if ("url" in server) return httpPlan(name, server, index, place)
  const { privateDirectory, more } = place
  const { command, args = [], env = {} } = server
  if (Object.keys(env).length === 0) {
    const table = { command: tomlText(command), args: tomlList(args), ...mark }
    return { ...nothing, config: [configOf(name, table, more)] }
  }
  const file = `mcp-${name}.sh`
  const lines = Object.entries(env).map(([variable, value]) => `export ${variable}=${shellQuoted(reveal(value))}\n`)
  const through = ["-c", withVariables, `${privateDirectory}/${file}`, command, ...args]
  return {
    config: [configOf(name, { command: tomlText("/bin/sh"), args: tomlList(through), ...mark }, more)],
    files: [{ name: file, content: lines.join("") }],
    env: {}
  }
}

const httpPlan = (
  name: string,
  server: Extract<McpServer, { url: string }>,
  index: number,
  { more }: Place
): McpPlan => {
  const headers = Object.entries(server.headers ?? {}).map(([header, value], nth) => ({
    header,
    value: reveal(value),
    variable: `REINS_MCP_${index}_${nth}`
  }))
  const url = { url: tomlText(server.url) }
  if (headers.length === 0) return { ...nothing, config: [configOf(name, url, more)] }
  const names = Object.fromEntries(headers.map(({ header, variable }) => [header, tomlText(variable)]))
  const blanks = headers.map(({ variable }) => `shell_environment_policy.set.${variable}=""`)
  return {
    config: [configOf(name, { ...url, env_http_headers: tomlTable(names) }, more), ...blanks],
    files: [],
    env: Object.fromEntries(headers.map(({ variable, value }) => [variable, value]))
  }
}

/** `asks`: calls of the tools are decided in a live session. */
export const mcpPlan = (
  servers: Readonly<Record<string, McpServer>>,
  privateDirectory: string,
  asks = false
): McpPlan => {
  const place: Place = { privateDirectory, more: asks ? {} : unasked }
  const plans = Object.entries(servers).map(([name, server], index) => serverPlan(name, server, index, place))
  return {
    config: plans.flatMap(({ config }) => config),
    files: plans.flatMap(({ files }) => files),
    env: Object.assign({}, ...plans.map(({ env }) => env))
  }
}
