/** Advice for names of other SDKs without an equivalent at their place, and for values in the form of another SDK; pure. */

type Place = (known: ReadonlyArray<string>) => boolean

// A place is recognised by its names.
const inRun: Place = (known) => known.includes("prompt") && known.includes("maxTurns")
const inOpen: Place = (known) => known.includes("approvals")
const inAgent: Place = (known) => known.includes("defaults")
const inParams: Place = (known) => known.includes("permissionMode")
const inEnv: Place = (known) => known.includes("values") && known.includes("policy")
const inServer: Place = (known) => known.includes("url")

const bypass = 'permissions without asking are set by "permissionMode"; "bypass" allows all'
const live = "it is for live sessions: agent.open"
const listener = "it is in the second argument: agent.run(params, { onEvent })"

/** By name, without case, `_` and `-`. */
const byName: Readonly<Record<string, ReadonlyArray<readonly [at: Place, remark: string]>>> = {
  options: [[inRun, 'its fields stand beside "prompt"']],
  yolo: [[inParams, bypass]],
  dangerouslyskippermissions: [[inParams, bypass]],
  allowdangerouslyskippermissions: [[inParams, bypass]],
  continue: [[inParams, 'the session to continue is named by its id, in "sessionId"']],
  continueconversation: [[inParams, 'the session to continue is named by its id, in "sessionId"']],
  stream: [[inRun, "agent.execute(params) gives the events as they come"]],
  includepartialmessages: [[inRun, "agent.execute(params) gives the events as they come"]],
  onevent: [[inRun, listener]],
  onmessage: [[inRun, listener]],
  onpermission: [[inRun, live]],
  onquestion: [[inRun, live]],
  canusetool: [[inRun, live]],
  approvals: [[inRun, live]],
  questions: [[inRun, live]],
  hooks: [[inRun, live]],
  tools: [[inRun, `tools of your own are for live sessions: agent.open; those of the CLI are in "allowedTools"`]],
  apikey: [[inAgent, 'a key is a variable of the CLI: env: { values: { NAME: key } }; see also "billing"']],
  prompt: [
    [inOpen, "a live session gets its prompts by turns: session.turn(prompt)"],
    [inAgent, "each run has its own: agent.run({ prompt })"]
  ],
  type: [[inServer, 'a server with "command" is started, one with "url" is connected to over HTTP']],
  transport: [[inServer, 'a server with "command" is started, one with "url" is connected to over HTTP']]
}

export const remarkFor = (word: string, known: ReadonlyArray<string>): string | undefined => {
  const named = Object.hasOwn(byName, word) ? byName[word]?.find(([at]) => at(known))?.[1] : undefined
  return named ?? (inEnv(known) ? 'variables are given in "values": env: { values: { NAME: "value" } }' : undefined)
}

/** Advice to follow the problem of a text in place of all params. */
export const textRemark = (input: unknown, known: ReadonlyArray<string>): string =>
  typeof input === "string" && known.includes("prompt") ? '; the text is a field of one: { prompt: "hello" }' : ""

const isText = (value: unknown) => typeof value === "string"
const isFunction = (value: unknown) => typeof value === "function"
const isObject = (value: unknown) => typeof value === "object" && value !== null
const isAny = () => true
const isOne = (value: unknown) => isText(value) || typeof value === "number"

/** By the last names of the path, `*` for any; of several, the first counts. */
const byForm: ReadonlyArray<readonly [place: string, is: (value: unknown) => boolean, remark: string]> = [
  [
    "prompt",
    (value) => isObject(value) && Symbol.asyncIterator in Object(value),
    "a session takes several prompts: agent.open()"
  ],
  ["prompt", isObject, 'it is one text: files and images go in "attachments"'],
  [
    "systemPrompt",
    isObject,
    `it is one text, in place of the CLI's own; what follows its own goes in "appendSystemPrompt"`
  ],
  [
    "approvals",
    isFunction,
    'a function decides as "onPermission" of reins/promise, or in a rule: approvals: [Approvals.ask(decide)]'
  ],
  ["approvals", (value) => isObject(value) && "_tag" in Object(value), "rules stand in a list: approvals: [rule]"],
  ["approvals", isAny, 'rules are made by Approvals.allow, deny, ask and plan; "permissionMode" allows without asking'],
  ["approvals.*", isFunction, "a function decides in a rule: Approvals.ask(decide)"],
  ["questions", isAny, "a function that answers stands in an object: questions: { handler: answer }"],
  ["tools.*", isText, `the CLI's own tools are named in "allowedTools"`],
  ["hooks", isObject, 'each is one of a list: hooks: [{ event: "PreToolUse", run }]'],
  ["mcpServers", Array.isArray, "servers are named by the keys of an object: mcpServers: { name: { command } }"],
  ["mcpServers.*", isText, "a server is { command, args }, or { url }"],
  ["mcpServers.*.command", Array.isArray, 'arguments go in "args"'],
  ["command", Array.isArray, 'arguments go in "baseArgs"'],
  ["timeouts", isOne, 'the limit of the whole run is one of its fields: timeouts: { total: "10 minutes" }'],
  ["abortSignal", (value) => isObject(value) && "signal" in Object(value), "a controller has it: controller.signal"],
  ["env", Array.isArray, 'variables are the keys of an object: { NAME: "value" }'],
  ["limits", isOne, "the number of agents at once is one of its fields: limits: { total: 5 }"],
  ["workingDirectory", (value) => value instanceof URL, "the path of a URL: fileURLToPath(url)"],
  ["outputSchema", isAny, "it is a JSON Schema, or a schema of Zod, Valibot, ArkType or Effect"],
  ["account", isText, 'its fields are project and user: account: { project: "shop" }']
]

const isPlace = (place: string, path: ReadonlyArray<string>) => {
  const names = place.split(".")
  const last = path.slice(-names.length)
  return last.length === names.length && names.every((name, index) => name === "*" || name === last[index])
}

/** Advice to follow the problem of a value in the form of another SDK, or of a likely mistake. */
export const formRemark = (path: ReadonlyArray<string>, value: unknown): string => {
  const remark = value === null ? undefined : byForm.find(([place, is]) => isPlace(place, path) && is(value))?.[2]
  return remark === undefined ? "" : `; ${remark}`
}
