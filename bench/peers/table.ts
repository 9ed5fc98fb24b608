/** The measured facts as they are printed, and as markdown for RESULTS.md. */
import { readFileSync } from "node:fs"
import { availableParallelism, platform } from "node:os"
import { type Fault, faults } from "./faults.ts"
import { idOf, type Peer } from "./peers.ts"

export type Facts = ReadonlyMap<string, string>

export const keyOf = (fault: Fault, peer: Peer) => `${fault.title}\n${idOf(peer)}`

const versionOf = ({ name }: Peer): string => {
  const path = name === "reins" ? "../../package.json" : `../node_modules/${name}/package.json`
  return JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")).version
}

const clisOf = (peers: ReadonlyArray<Peer>) => [...Map.groupBy(peers, ({ cli }) => cli)]

export const printed = (peer: Peer, fact: string) =>
  `${peer.cli} · ${peer.name}\n${fact
    .split("<br>")
    .map((part) => `    ${part}`)
    .join("\n")}`

const row = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`
/** Messages can hold what markdown would read; the breaks between the parts of a fact stay. */
const safe = (text: string) => text.replaceAll("|", "\\|").replaceAll(/<(?!br>)/g, "&lt;")

const tableOf = (facts: Facts, cli: string, peers: ReadonlyArray<Peer>) =>
  [
    `## ${cli}`,
    "",
    row(["", ...peers.map((peer) => `${peer.name} ${versionOf(peer)}`)]),
    row(["---", ...peers.map(() => "---")]),
    ...faults.map((fault, nth) =>
      row([`${nth + 1}. ${fault.title}`, ...peers.map((peer) => safe(facts.get(keyOf(fault, peer)) ?? "not measured"))])
    )
  ].join("\n")

export const markdown = (facts: Facts, peers: ReadonlyArray<Peer>, rounds: number): string => {
  const machine = `Node ${process.versions.node}, ${platform()}, ${availableParallelism()} processors`
  const about = `Written by \`npm run peers\`: each cell ${rounds} times, numbers that differ as a range, words that differ after a slash. ${machine}. What is done and counted: [README.md](README.md).`
  return `# Ten faults, measured\n\n${about}\n\n${clisOf(peers)
    .map(([cli, group]) => tableOf(facts, cli, group))
    .join("\n\n")}\n`
}
