/** The findings about one CLI → lines for people; pure. */
import type { AcpReport } from "../../api/doctor/examineAcp.ts"
import type { AgentReport } from "../../contract/DoctorReport.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { marks, paint, type Style, type Surface } from "../style.ts"

const headlineOf = ({ status, version, testedVersion, oldestVersion, problem }: AgentReport): string => {
  switch (status) {
    case "tested":
      return `${version}, the tested version`
    case "good":
      return `${version}, known to work (${oldestVersion} to ${testedVersion})`
    case "newer":
      return `${version}, newer than the tested ${testedVersion}: new kinds of output may appear as "unknown" events`
    case "older":
      return `${version}, older than ${oldestVersion}, the oldest that is known to work: ${problem}`
    case "broken":
      return `found, but ${problem}`
    case "missing":
      return problem ?? "not found"
  }
}

const verdictOf = ({ status, signedIn }: AgentReport): readonly [mark: string, style: Style] => {
  if (status === "older" || status === "broken" || status === "missing") return [marks.failed, "red"]
  return status === "newer" || signedIn === false ? [marks.warning, "yellow"] : [marks.ok, "green"]
}

const signInLine = ({ signedIn, credentials, signIn }: AgentReport): string => {
  if (signedIn === true) return credentials === "account" ? "done" : `done, by ${credentials}`
  return signedIn === false ? `not done: ${signIn}` : `not known without asking a model; to sign in: ${signIn}`
}

const hintsOf = (finding: AgentReport): ReadonlyArray<readonly [string, string]> => {
  const { status, path, install, otherInstalls = [], testedVersion, signIn } = finding
  const found = path === undefined ? [] : [["found", path] as const]
  if (status === "missing" || status === "broken") {
    const others = otherInstalls.map((command) => ["or", command] as const)
    return [...found, ["install", install], ...others, ["sign in", signIn]]
  }
  const update = status === "older" ? [["update", `${install}@${testedVersion}`] as const] : []
  return [...found, ...update, ["sign in", signInLine(finding)]]
}

export const findingLines = (surface: Surface, finding: AgentReport): ReadonlyArray<string> => {
  const [mark, style] = verdictOf(finding)
  const head = `${paint(surface, style, mark)} ${paint(surface, "bold", finding.agent.padEnd(9))} ${harmless(headlineOf(finding))}`
  const hints = hintsOf(finding).map(([label, text]) => paint(surface, "dim", `  ${label.padEnd(9)} ${harmless(text)}`))
  return [head, ...hints]
}

/** The same of an agent of the Agent Client Protocol: no version of it is tested, and who is signed in is not known. */
export const acpLines = (surface: Surface, found: AcpReport): ReadonlyArray<string> => {
  const { agent, name, path, version, install, signIn } = found
  const [mark, style]: readonly [string, Style] = path === undefined ? [marks.failed, "red"] : [marks.ok, "green"]
  const text = path === undefined ? "not found on PATH" : (version ?? "its version is not known")
  const head = `${paint(surface, style, mark)} ${paint(surface, "bold", agent.padEnd(9))} ${name}: ${harmless(text)}`
  const hints: ReadonlyArray<readonly [string, string]> =
    path === undefined
      ? [
          ["install", install],
          ["sign in", signIn]
        ]
      : [
          ["found", path],
          ["sign in", `not known without asking a model; to sign in: ${signIn}`]
        ]
  return [head, ...hints.map(([label, hint]) => paint(surface, "dim", `  ${label.padEnd(9)} ${harmless(hint)}`))]
}
