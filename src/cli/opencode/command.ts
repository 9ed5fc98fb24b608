/**
 * Params → arguments, stdin, environment and files for `opencode run`, or for `opencode acp` of a live session (1.18.33); pure but
 * for a random password. There are few flags: the rest goes into the CLI's configuration in the environment, prompts and
 * secrets into files that it names.
 */
import { randomBytes } from "node:crypto"
import { Result } from "effect"
import type { AgentExecuteParams, McpServer } from "../../contract/AgentExecuteParams.ts"
import type { PlanContext, PlanFile } from "../../contract/Plan.ts"
import { type MaybeSecret, reveal } from "../../contract/Redacted.ts"
import type { Cli } from "../Cli.ts"
import { extra, flag, longestArgumentPrompt, value } from "../commandLine.ts"
import type { Live } from "../Live.ts"
import { contentOf, type JsonObject, literal, merge, parseVariable, printConfig } from "./command/config.ts"
import { rulesOf } from "./command/permissions.ts"
import { contradictionOf, liveContradictionOf, problemOf, problemOfPrompt } from "./command/problems.ts"
import { liveRulesOf } from "./live/permissions.ts"

/** Not the prompt: a title is shown to others. Without one OpenCode asks the model for it. */
const title = "reins"
const attachmentDirectory = "attachments"
const slashCommand = /^\/(\S+)\s*(.*)$/s
/** Agents and sub-agents; their rules win over those for all. */
const agents = ["build", "plan", "general", "explore"]

const agentFor = ({ permissionMode, systemPrompt }: AgentExecuteParams) => {
  if (permissionMode === "plan") return "plan"
  return systemPrompt === undefined ? undefined : "build"
}

/** Makes a file of the run, and its future path. */
type Keep = (name: string, content: string) => { readonly file: PlanFile; readonly path: string }

const keepIn =
  ({ privateDirectory }: PlanContext): Keep =>
  (name, content) => ({ file: { name, content }, path: `${privateDirectory}/${name}` })

interface Parts {
  readonly config: JsonObject
  readonly files: ReadonlyArray<PlanFile>
}

const promptParts = (
  { systemPrompt, appendSystemPrompt }: Pick<AgentExecuteParams, "systemPrompt" | "appendSystemPrompt">,
  names: ReadonlyArray<string>,
  keep: Keep
): Parts => {
  const own = systemPrompt?.trim() ? keep("system-prompt.md", systemPrompt) : undefined
  const more = appendSystemPrompt?.trim() ? keep("append-system-prompt.md", appendSystemPrompt) : undefined
  // An empty prompt would leave the CLI's own in effect.
  const prompt = own === undefined ? " " : contentOf(own.path, own.file.content)
  return {
    config: {
      ...(systemPrompt === undefined ? {} : { agent: Object.fromEntries(names.map((name) => [name, { prompt }])) }),
      ...(more === undefined ? {} : { instructions: [more.path] })
    },
    files: [own, more].flatMap((each) => (each === undefined ? [] : [each.file]))
  }
}

/** Values of variables and headers go into files: the configuration is in the environment of every tool. */
const mcpParts = (servers: Readonly<Record<string, McpServer>>, keep: Keep): Parts => {
  const files: Array<PlanFile> = []
  const secret = (input: MaybeSecret) => {
    const { file, path } = keep(`mcp-${files.length}.txt`, reveal(input))
    files.push(file)
    return contentOf(path, file.content)
  }
  const secrets = (values: Readonly<Record<string, MaybeSecret>> = {}) =>
    Object.fromEntries(Object.entries(values).map(([name, input]) => [literal(name), secret(input)]))
  const mcp = Object.entries(servers).map(([name, server]) => [
    literal(name),
    "url" in server
      ? { type: "remote", url: literal(server.url), headers: secrets(server.headers), enabled: true }
      : {
          type: "local",
          command: [server.command, ...(server.args ?? [])].map(literal),
          environment: secrets(server.env),
          enabled: true
        }
  ])
  return { config: mcp.length === 0 ? {} : { mcp: Object.fromEntries(mcp) }, files }
}

/** The first keeps the skills in `.claude` and `.agents`; the second also removes those of the user. */
const untrusted = { OPENCODE_DISABLE_PROJECT_CONFIG: "1", OPENCODE_DISABLE_EXTERNAL_SKILLS: "1" }

const isEmpty = (object: JsonObject) => Object.keys(object).length === 0

const callersOwn = ({ env }: PlanContext) =>
  Result.all({
    config: parseVariable("OPENCODE_CONFIG_CONTENT", env["OPENCODE_CONFIG_CONTENT"]),
    rules: parseVariable("OPENCODE_PERMISSION", env["OPENCODE_PERMISSION"])
  })

export const plan: Cli["plan"] = (params, options, context) =>
  Result.gen(function* () {
    const { workingDirectory, privateDirectory, attachments = [] } = context
    const agent = agentFor(params)
    const problem = problemOfPrompt(params.prompt) ?? problemOf(params, contradictionOf(params, agent))
    if (problem !== undefined) return yield* Result.fail(problem)
    const callers = yield* callersOwn(context)
    const keep = keepIn(context)
    const prompts = promptParts(params, [agent ?? "build"], keep)
    const servers = mcpParts(params.mcpServers ?? {}, keep)
    const rules = rulesOf(params, workingDirectory)
    const permissions = isEmpty(rules)
      ? {}
      : { agent: Object.fromEntries(agents.map((name) => [name, { permission: rules }])) }
    const config = [prompts.config, servers.config, permissions].reduce(merge, {})
    const command = params.slashCommands === true ? slashCommand.exec(params.prompt) : null
    const prompt = command?.[2] ?? params.prompt
    const asArgument = options.promptVia === "argument" && prompt.length <= longestArgumentPrompt
    const args = [
      ...flag("print", "run"),
      ...value("print", "--format", "json"),
      ...flag("print", "--thinking"),
      // Before another flag: this one takes all values that follow it.
      ...attachments.flatMap(({ fileName }) =>
        value("attachments", "--file", `${privateDirectory}/${attachmentDirectory}/${fileName}`)
      ),
      ...value("workingDirectory", "--dir", workingDirectory),
      ...(params.sessionId === undefined ? value("title", "--title", title) : []),
      ...value("sessionId", "--session", params.sessionId),
      ...(params.forkSession === true ? flag("forkSession", "--fork") : []),
      ...value("model", "--model", params.model),
      ...value("effort", "--variant", params.effort),
      ...value(params.permissionMode === "plan" ? "permissionMode" : "systemPrompt", "--agent", agent),
      ...(params.permissionMode === "bypass" ? flag("permissionMode", "--auto") : []),
      ...value("slashCommands", "--command", command?.[1]),
      ...extra(params),
      // An argument with a blank in it would be quoted; the CLI joins several with one.
      ...(asArgument ? flag("prompt", "--", ...prompt.split(" ")) : [])
    ]
    return {
      args,
      files: [...prompts.files, ...servers.files],
      ...(attachments.length === 0 ? {} : { attachmentDirectory }),
      stdin: asArgument ? "" : prompt,
      env: {
        ...(isEmpty(config) ? {} : { OPENCODE_CONFIG_CONTENT: printConfig(merge(callers.config, config)) }),
        ...(isEmpty(rules) ? {} : { OPENCODE_PERMISSION: JSON.stringify(merge(callers.rules, rules)) }),
        ...(params.trustWorkspace === false ? untrusted : {})
      }
    }
  })

/** OpenCode listens on loopback, where every user of the machine could read its sessions. */
const serverPassword = () => randomBytes(24).toString("base64url")

/** Sessions, servers, model and mode belong to the protocol; the rest is configuration, as in a run. */
export const livePlan: Live["plan"] = (params, _options, context) =>
  Result.gen(function* () {
    const problem = problemOf(params, liveContradictionOf(params))
    if (problem !== undefined) return yield* Result.fail(problem)
    const callers = yield* callersOwn(context)
    // The mode can change, and with it the agent whose prompt this is.
    const prompts = promptParts(params, ["build", "plan"], keepIn(context))
    const { main, plan, subAgents } = liveRulesOf(params, context.workingDirectory)
    const agent = {
      build: { permission: main },
      plan: { permission: plan },
      general: { permission: subAgents },
      explore: { permission: subAgents }
    }
    const config = [prompts.config, { agent }].reduce(merge, callers.config)
    return {
      args: [...flag("session", "acp"), ...extra(params)],
      files: prompts.files,
      env: {
        OPENCODE_CONFIG_CONTENT: printConfig(config),
        OPENCODE_PERMISSION: JSON.stringify(merge(callers.rules, main)),
        OPENCODE_SERVER_PASSWORD: context.env["OPENCODE_SERVER_PASSWORD"] || serverPassword(),
        // The tool would wait for an answer that can never come.
        OPENCODE_ENABLE_QUESTION_TOOL: "0",
        ...(params.trustWorkspace === false ? untrusted : {})
      }
    }
  })
