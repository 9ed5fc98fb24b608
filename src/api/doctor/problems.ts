/** What was found → what is wrong with it, or may be, each with its cure; pure. */
import type { AgentReport, DoctorProblem, DoctorReport } from "../../contract/DoctorReport.ts"
import { problemsOfStore } from "./examineStore.ts"

type Found = Omit<DoctorReport, "problems">

const ofVersion = (found: AgentReport): ReadonlyArray<DoctorProblem> => {
  const { agent: about, status, version, problem = "", install, signIn, testedVersion, oldestVersion } = found
  const update = `Install the tested version: ${install}@${testedVersion}`
  switch (status) {
    case "missing":
      return [{ about, severity: "error", problem: `It was ${problem}.`, cure: `${install}. Then sign in: ${signIn}` }]
    case "broken":
      return [{ about, severity: "error", problem: `It was found, but ${problem}.`, cure: update }]
    case "older": {
      const sentence = `${version} is older than ${oldestVersion}, the oldest version that is known to work: ${problem}.`
      return [{ about, severity: "error", problem: sentence, cure: update }]
    }
    case "newer": {
      const sentence = `${version} is newer than the tested ${testedVersion}: new kinds of output may be "unknown" events.`
      return [{ about, severity: "warning", problem: sentence, cure: `Where that disturbs, ${lower(update)}` }]
    }
    default:
      return []
  }
}

const lower = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

const ofAgent = (found: AgentReport): ReadonlyArray<DoctorProblem> => {
  const { agent: about, signedIn, signIn } = found
  const out = { about, severity: "error", problem: "It is not signed in.", cure: `To sign in: ${signIn}` } as const
  return [...ofVersion(found), ...(signedIn === false ? [out] : [])]
}

export const problemsOf = ({
  node,
  agents,
  notGuaranteed,
  settings,
  oldJournals,
  store
}: Found): ReadonlyArray<DoctorProblem> => {
  const ofNode: DoctorProblem = {
    about: "node",
    severity: "error",
    problem: `Node ${node.version} is too old: ${node.required} is needed.`,
    cure: `Install Node ${node.required}`
  }
  const pending = settings.filter(({ isPending }) => isPending)
  return [
    ...(node.ok ? [] : [ofNode]),
    ...agents.flatMap(ofAgent),
    ...(notGuaranteed === undefined
      ? []
      : [{ about: "platform", severity: "warning", problem: notGuaranteed } as const]),
    ...pending.map(
      ({ file }): DoctorProblem => ({
        about: "settings",
        severity: "warning",
        problem: `${file}: a killed run left it changed, and it cannot be restored while it is not valid JSON.`,
        cure: "Correct the file: the next run restores it"
      })
    ),
    ...oldJournals.map(
      (file): DoctorProblem => ({
        about: "settings",
        severity: "warning",
        problem: `${file}: left by an older version, or put there by somebody else. It has no effect.`,
        cure: "Check it, then remove it"
      })
    ),
    ...problemsOfStore(store)
  ]
}
