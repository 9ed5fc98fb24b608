/** Permission requests as the CLIs make them, for the tests of what decides them. */
import { Arbitrary, Schema } from "effect"
import { requestEventOf } from "../../../src/agents/approvals/requestEvent.ts"
import type { PermissionAsk } from "../../../src/contract/Rule.ts"
import { PermissionRequestEvent } from "../../../src/contract/SessionEvent.ts"
import { ToolKind } from "../../../src/contract/ToolEvent.ts"

export const workingDirectory = "/w/project"

export const permissionAsk = (input: Partial<PermissionAsk> = {}): PermissionAsk => ({
  requestId: "r1",
  toolName: "Bash",
  toolId: "t1",
  kind: "command",
  input: {},
  title: "Bash",
  takesInput: true,
  ...input
})

/** As the session makes it of what a CLI tells. */
export const request = (input: Partial<PermissionAsk> = {}): PermissionRequestEvent =>
  requestEventOf(permissionAsk(input), workingDirectory).request

export const command = (text: string) => request({ command: text, input: { command: text } })

export const edit = (...paths: ReadonlyArray<string>) =>
  request({
    toolName: "Edit",
    kind: "file_change",
    paths,
    edits: paths.map((path) => ({ path, before: "a", after: "b" })),
    input: { paths }
  })

export const plan = (text = "", requestId = "p1") =>
  request({ toolName: "ExitPlanMode", kind: "plan", plan: text, requestId, input: { plan: text } })

const Odd = Schema.Literals([
  "",
  "*",
  "**",
  "..",
  "../..",
  "/",
  "\0",
  "'",
  '"',
  "`",
  "$(",
  "$'",
  "<<",
  "\\",
  "[",
  "{",
  "}"
])
const Text = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Schema.Union([Odd, Schema.Literals(["git ", "rm ", "src/", "a"]), Schema.String])), {
    maxLength: 8
  }),
  (pieces) => pieces.join("")
)

/** Any request, sensible or not. */
export const anyRequest = Arbitrary.map(
  Arbitrary.all([
    Arbitrary.schema(PermissionRequestEvent),
    Arbitrary.schema(Schema.Union([ToolKind, Schema.Literals(["command", "plan"])])),
    Text,
    Text,
    Text,
    Arbitrary.schema(Schema.Boolean)
  ]),
  ([
    { type: _type, scopes: _scopes, deadlineMs: _until, preview: _preview, notShown: _notShown, ...reported },
    kind,
    text,
    path,
    other,
    isWhole
  ]) => request(isWhole ? { ...reported, kind, command: text, paths: [path, other], plan: other } : reported)
)
