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

/** Advice to follow the problem of a value in the form of another SDK. */
export const formRemark = (field: string, value: unknown): string => {
  if (typeof value !== "object" || value === null) return ""
  if (field === "prompt") {
    if (Symbol.asyncIterator in value) return "; a session takes several prompts: agent.open()"
    return '; it is one text: files and images go in "attachments"'
  }
  return field === "systemPrompt"
    ? '; it is one text, in place of the CLI\'s own; what follows its own goes in "appendSystemPrompt"'
    : ""
}
