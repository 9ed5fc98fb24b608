/** Permission requests as the CLIs make them, for the tests of what decides them. */
import { Arbitrary, Schema } from "effect"
import { PermissionRequestEvent, ToolKind } from "../../src/SessionEvent.ts"

export const workingDirectory = "/w/project"

export const request = (given: Partial<PermissionRequestEvent> = {}): PermissionRequestEvent => ({
  type: "permission_request",
  requestId: "r1",
  toolName: "Bash",
  toolId: "t1",
  kind: "command",
  input: {},
  title: "Bash",
  ...given
})

export const command = (text: string) => request({ command: text, input: { command: text } })

export const edit = (...paths: ReadonlyArray<string>) =>
  request({ toolName: "Edit", kind: "file_change", paths, input: { paths } })

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
  ([event, kind, text, path, other, isWhole]): PermissionRequestEvent =>
    isWhole ? { ...event, kind, command: text, paths: [path, other], plan: other } : event
)
