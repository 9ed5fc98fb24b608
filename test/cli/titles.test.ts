/** A tool call has its title by any name that a CLI, or a version of it, gives to the same input. */
import { assert, it } from "vitest"
import * as Claude from "../../src/cli/claude/run/tools.ts"
import * as Gemini from "../../src/cli/gemini/run/tools.ts"
import * as OpenCode from "../../src/cli/opencode/run/tools.ts"
import * as Pi from "../../src/cli/pi/run/tools.ts"

const names = ["file_path", "filePath", "path", "notebook_path", "absolute_path", "filename"]
const titles = {
  claude: (input: object) => Claude.describeTool("Edit", input).title,
  gemini: (input: object) => Gemini.describeTool("write_file", input, []).title,
  opencode: (input: object) => OpenCode.describeTool("edit", input).title,
  pi: (input: object) => Pi.describeTool("edit", input).title
}
const rows = Object.entries(titles).flatMap(([cli, title]) => names.map((name) => [cli, name, title] as const))

it.each(rows)("%s: %s", (_, name, title) => {
  assert.strictEqual(title({ [name]: "src/a.ts" }), "src/a.ts")
})

it.each(Object.entries(titles))("%s: the usual name wins, and nothing telling is the tool's name", (_, title) => {
  assert.strictEqual(title({ path: "b", file_path: "a", filePath: "a" }), "a")
  assert.include(["Edit", "write_file", "edit"], title({ path: 7, file_path: " " }))
})

it("other inputs have other names, too", () => {
  assert.strictEqual(Claude.describeTool("Bash", { cmd: "ls" }).title, "ls")
  assert.strictEqual(OpenCode.describeTool("webfetch", { uri: "https://example.org" }).title, "https://example.org")
})
