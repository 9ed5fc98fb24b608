// The marked sections of a page, which are made and not written: `<!-- table: NAME -->` and `<!-- file: PATH -->`, each
// up to its end mark. Everything around them is left as it is.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { agentsTable } from "../tables/agents.ts"
import { attachmentsTable, budgetsTable, versionsTable } from "../tables/clis.ts"
import { configurationTable } from "../tables/configuration.ts"
import { costsTable } from "../tables/costs.ts"
import { testedEnvironmentsTable } from "../tables/environments.ts"
import { eventFieldsTable, eventsTable, resultTable, usageTable, vocabulariesTable } from "../tables/events.ts"
import {
  agentOptionsTable,
  budgetTable,
  environmentTable,
  limitsTable,
  runOptionsTable,
  sessionOptionsTable,
  supportTable
} from "../tables/options.ts"
import { reasonsTable } from "../tables/reasons.ts"
import { askOptionsTable, matchTable, planOptionsTable } from "../tables/rules.ts"
import { root } from "./pages.ts"

export const tables: Readonly<Record<string, () => string>> = {
  "agent-options": agentOptionsTable,
  agents: agentsTable,
  "ask-options": askOptionsTable,
  attachments: attachmentsTable,
  budgets: budgetsTable,
  budget: budgetTable,
  configuration: configurationTable,
  costs: costsTable,
  environment: environmentTable,
  "event-fields": eventFieldsTable,
  events: eventsTable,
  limits: limitsTable,
  match: matchTable,
  "plan-options": planOptionsTable,
  reasons: reasonsTable,
  result: resultTable,
  "run-options": runOptionsTable,
  "session-options": sessionOptionsTable,
  support: supportTable,
  "tested-environments": testedEnvironmentsTable,
  usage: usageTable,
  versions: versionsTable,
  vocabularies: vocabulariesTable
}

const fileBlock = (path: string) => {
  const language = path.endsWith(".ts") ? "ts" : path.split(".").at(-1)
  return `\`\`\`${language}\n${readFileSync(join(root, path), "utf8").trimEnd()}\n\`\`\``
}

const contentOf = (kind: string, name: string): string => {
  if (kind === "file") return fileBlock(name)
  const make = tables[name]
  if (make === undefined) throw new Error(`unknown table ${name}: ${Object.keys(tables).join(", ")}`)
  return make()
}

const section = /^<!-- (table|file): (\S+) -->\n[\s\S]*?^<!-- \/\1 -->$/gm

export const withSections = (page: string): string =>
  page.replaceAll(
    section,
    (_, kind: string, name: string) => `<!-- ${kind}: ${name} -->\n${contentOf(kind, name)}\n<!-- /${kind} -->`
  )
