// The keys of `reins.toml`.
import { type Form, keys } from "../../../src/api/config/keys.ts"
import { fewNames } from "../../../src/contract/CliSupport.ts"
import { code, table } from "../kit/markdown.ts"

/** The names of the protocol's agents are on their own page. */
const choices = (of: ReadonlyArray<string>) => {
  const { few, areAll } = fewNames(of)
  return `${few.map(code).join(", ")}${areAll ? "" : ", [others](agents.md)"}`
}

const values: Readonly<Record<Exclude<Form["kind"], "choice">, string>> = {
  text: "text",
  name: "name",
  path: "path",
  command: "name or path",
  variable: "name",
  texts: "list of texts",
  files: "list of paths",
  duration: 'duration, such as `"7 days"`',
  count: "number",
  switch: "`true`, `false`",
  zone: 'IANA name, such as `"Europe/Berlin"`',
  rate: "number",
  amount: "number",
  positive: "number",
  port: "number",
  host: "address or name",
  requests: "list of requests",
  secret: "token",
  chat: "the id of a chat",
  phone: "digits",
  template: "text",
  label: "name",
  bytes: "number",
  header: "name",
  status: "number",
  people: "list of ids",
  server: "URL",
  word: "word",
  budgets: "list of tables"
}

export const configurationTable = () =>
  table(
    ["key", "value", "meaning"],
    keys.map(({ path, form, about }) => [
      code(path.join(".")),
      form.kind === "choice" ? choices(form.of) : values[form.kind],
      about
    ])
  )
