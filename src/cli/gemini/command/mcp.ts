/**
 * MCP servers → entries of the project's settings, and the variables that hold possible secrets (Gemini CLI 0.61.0). The CLI
 * replaces `$NAME` in every string of its settings, and a second time in `env` and `headers`.
 */
import { Result } from "effect"
import type { InvalidParams } from "../../../contract/AgentError.ts"
import type { AgentExecuteParams, McpServer } from "../../../contract/AgentExecuteParams.ts"
import { type MaybeSecret, reveal } from "../../../contract/Redacted.ts"
import { invalid } from "../../commandLine.ts"

export interface McpPlan {
  readonly servers: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string>>
}

/** Other characters are changed in the names of tools, but not in the rules about them. */
const serverName = /^[\w.-]+$/

/** The CLI silently leaves these out of a server's environment. */
const blocked: ReadonlySet<string> = new Set([
  "NODE_OPTIONS", "NODE_CLI_FLAGS", "_FORCE_NODE_OPTIONS", "NODE_PATH", "ELECTRON_RUN_AS_NODE", "PYTHONPATH",
  "PYTHONSTARTUP", "RUBYOPT", "RUBYLIB", "PERL5OPT", "PERL5LIB", "PERL5DB", "LD_PRELOAD", "LD_AUDIT", "LD_DEBUG",
  "LD_PROFILE", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "DYLD_FORCE_FLAT_NAMESPACE", "DYLD_LIBRARY_PATH",
  "DYLD_FRAMEWORK_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "DYLD_FALLBACK_FRAMEWORK_PATH", "BASH_ENV", "ENV",
  "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH", "DOTNET_STARTUP_HOOKS", "CORECLR_PROFILER_PATH",
  "CORECLR_ENABLE_PROFILING"
]) // biome-ignore format: one list

/** In ms, for the start of a server and for every call: the CLI's own default. `startup` bounds a silent start. */
const timeout = 600_000

export const mcpProblemOf = (name: string, server: McpServer): string | undefined => {
  if (!serverName.test(name)) return `${JSON.stringify(name)} has more than letters, digits, ".", "-" and "_"`
  if ("url" in server) return undefined
  const lost = Object.keys(server.env ?? {}).find((variable) => blocked.has(variable.toUpperCase()))
  return lost === undefined ? undefined : `${name}: the CLI gives no ${lost} to a server`
}

/**
 * Puts values into variables that no other run uses, since runs can share the settings file. The CLI passes no variable with
 * SECRET in its name to a server.
 */
const makeVault = (runName: string) => {
  const env: Record<string, string> = {}
  return {
    env,
    keep: (value: string): string => {
      const name = `REINS_MCP_SECRET_${runName}_${Object.keys(env).length + 1}`
      env[name] = value
      return `$${name}`
    }
  }
}

export const mcpPlan = (
  input: AgentExecuteParams["mcpServers"] = {},
  privateDirectory: string
): Result.Result<McpPlan, InvalidParams> => {
  const vault = makeVault((/[^\\/]+$/.exec(privateDirectory)?.[0] ?? "").replace(/\W/g, "").toUpperCase())
  const plain = (text: string) => (text.includes("$") ? vault.keep(text) : text)
  /** In the second replacement `\$` is a dollar. */
  const hidden = (values: Readonly<Record<string, MaybeSecret>> = {}) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, vault.keep(reveal(value).replaceAll("$", "\\$"))])
    )
  const servers: Record<string, unknown> = {}
  for (const [name, server] of Object.entries(input)) {
    const problem = mcpProblemOf(name, server)
    if (problem !== undefined) return Result.fail(invalid("mcpServers", problem))
    // Without trust the CLI hides a server's tools from the model: a server in the params is meant to be used.
    const common = { trust: true, timeout }
    servers[name] =
      "url" in server
        ? { type: "http", url: plain(server.url), headers: hidden(server.headers), ...common }
        : { command: plain(server.command), args: (server.args ?? []).map(plain), env: hidden(server.env), ...common }
  }
  return Result.succeed({ servers, env: vault.env })
}
