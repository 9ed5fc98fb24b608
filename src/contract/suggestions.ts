/** An unknown name → the closest known one: a synonym of other SDKs, else the nearest spelling; pure. */
import { remarkFor } from "./remarks.ts"

/** Names of options in other SDKs, without case, `_` and `-`; of several equivalents, the first that the place has counts. */
const synonyms: Readonly<Record<string, ReadonlyArray<string>>> = {
  defaultengine: ["agent"],
  engine: ["agent"],
  defaultagent: ["agent"],
  cwd: ["workingDirectory"],
  directory: ["workingDirectory"],
  dir: ["workingDirectory"],
  adddirs: ["additionalDirectories"],
  adddir: ["additionalDirectories"],
  includedirectories: ["additionalDirectories"],
  abortcontroller: ["abortSignal"],
  signal: ["abortSignal"],
  resume: ["sessionId"],
  resumesessionid: ["sessionId"],
  threadid: ["sessionId"],
  conversationid: ["sessionId"],
  fork: ["forkSession"],
  canusetool: ["approvals", "handler"],
  onpermission: ["approvals"],
  permissions: ["approvals", "permissionMode"],
  approvalpolicy: ["approvals", "permissionMode"],
  approvalmode: ["permissionMode"],
  sandbox: ["permissionMode"],
  sandboxmode: ["permissionMode"],
  mode: ["permissionMode"],
  customsystemprompt: ["systemPrompt"],
  system: ["systemPrompt"],
  instructions: ["systemPrompt"],
  developerinstructions: ["appendSystemPrompt"],
  reasoningeffort: ["effort"],
  modelreasoningeffort: ["effort"],
  maxthinkingtokens: ["effort"],
  outputformat: ["outputSchema"],
  responseformat: ["outputSchema"],
  jsonschema: ["outputSchema"],
  schema: ["outputSchema", "inputSchema"],
  maxretries: ["retries"],
  maxsteps: ["maxTurns"],
  turns: ["maxTurns"],
  maxcost: ["maxBudgetUsd"],
  maxcostusd: ["maxBudgetUsd"],
  budget: ["maxBudgetUsd"],
  strictmcpconfig: ["strictMcpServers"],
  mcp: ["mcpServers"],
  mcpconfig: ["mcpServers"],
  timeout: ["timeouts", "total"],
  timeoutms: ["timeouts"],
  heartbeat: ["heartbeatMs"],
  images: ["attachments"],
  files: ["attachments"],
  parts: ["attachments"],
  input: ["prompt", "text"],
  message: ["prompt", "text"],
  messages: ["prompt"],
  content: ["prompt", "text"],
  contents: ["prompt", "text"],
  task: ["prompt"],
  pathtoclaudecodeexecutable: ["command"],
  codexpathoverride: ["command"],
  executable: ["command"],
  executableargs: ["baseArgs"],
  path: ["command"],
  binary: ["command"],
  cmd: ["command"],
  args: ["baseArgs", "extraArgs", "args"],
  arguments: ["args"],
  environment: ["env"],
  envvars: ["env"],
  vars: ["values"],
  serverurl: ["url"],
  httpurl: ["url"],
  concurrency: ["total"],
  claudecode: ["claude"],
  claudecli: ["claude"],
  geminicli: ["gemini"],
  codexcli: ["codex"],
  acceptedits: ["accept-edits"],
  autoedit: ["accept-edits"],
  workspacewrite: ["accept-edits"],
  bypasspermissions: ["bypass"],
  yolo: ["bypass"],
  dangerfullaccess: ["bypass"],
  readonly: ["plan"]
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[\s_-]/g, "")

/** Number of edits between two words; a swap of neighbours counts as one. */
const distance = (a: string, b: string): number => {
  let [before, row]: [ReadonlyArray<number>, ReadonlyArray<number>] = [
    [],
    Array.from({ length: b.length + 1 }, (_, at) => at)
  ]
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const steps = [(row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + change]
      next.push(Math.min(...steps, ...(swap ? [(before[j - 2] ?? 0) + 1] : [])))
    }
    ;[before, row] = [row, next]
  }
  return row[b.length] ?? 0
}

/** Length of the common beginning: the longer one decides between two names at the same distance. */
const sameStart = (a: string, b: string) => {
  const at = [...a].findIndex((letter, index) => letter !== b[index])
  return at === -1 ? a.length : at
}

/** Longer names are not compared: they are hardly typos, and the comparison takes time. */
const longest = 40

export const suggestionFor = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const word = plain(name)
  if (word.length > longest) return undefined
  const same = known.find((other) => plain(other) === word)
  if (same !== undefined) return same
  const synonym = Object.hasOwn(synonyms, word) ? synonyms[word]?.find((other) => known.includes(other)) : undefined
  if (synonym !== undefined) return synonym
  const allowed = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 4))
  const near = known
    .map((other) => ({ other, steps: distance(word, plain(other)), same: sameStart(word, plain(other)) }))
    .filter(({ other, steps }) => steps <= allowed && steps < plain(other).length - 1)
    .sort((a, b) => a.steps - b.steps || b.same - a.same)
  return near[0]?.other
}

/** Advice to follow the problem of a name: what to do, or the closest name at its place, else in its `defaults`. */
export const hintFor = (name: string, known: ReadonlyArray<string>, inDefaults: ReadonlyArray<string> = []): string => {
  const remark = remarkFor(plain(name.slice(0, longest)), known)
  const suggestion = remark === undefined ? suggestionFor(name, known) : undefined
  if (suggestion !== undefined) return `; did you mean ${JSON.stringify(suggestion)}?`
  const lasting = remark === undefined ? suggestionFor(name, inDefaults) : undefined
  if (lasting !== undefined) return `; it is for runs, of which "defaults" holds for all: defaults: { ${lasting}: … }`
  return remark === undefined ? "" : `; ${remark}`
}
