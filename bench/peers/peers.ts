/** The measured packages: the CLI that each runs, its adapter, and the time-out that it documents. */

export interface Peer {
  readonly name: string
  readonly cli: "Claude Code" | "Codex" | "OpenCode"
  /** The stub, and what it is called on PATH. */
  readonly command: "claude" | "codex" | "opencode"
  readonly adapter: string
  readonly entry: string
  /** The option that ends a silent run; none where none is documented. */
  readonly timeOut?: string
}

const claude = { cli: "Claude Code", command: "claude", entry: "run" } as const
const codex = { cli: "Codex", command: "codex", entry: "run" } as const
const opencode = { cli: "OpenCode", command: "opencode", entry: "run" } as const
const ours = { name: "reins", adapter: "reins", timeOut: "timeouts.startup" }

export const peers: ReadonlyArray<Peer> = [
  { ...claude, ...ours, entry: "claude" },
  { ...claude, name: "@anthropic-ai/claude-agent-sdk", adapter: "claude-agent-sdk" },
  { ...claude, name: "ai-sdk-provider-claude-code", adapter: "ai-claude-code", timeOut: "timeout of streamText" },
  { ...claude, name: "@instantlyeasy/claude-code-sdk-ts", adapter: "claude-code-sdk-ts", timeOut: "timeout" },
  { ...codex, ...ours, entry: "codex" },
  { ...codex, name: "@openai/codex-sdk", adapter: "codex-sdk" },
  { ...codex, name: "ai-sdk-provider-codex-cli", adapter: "ai-codex-cli", timeOut: "timeout of streamText" },
  { ...opencode, ...ours, entry: "opencode" },
  { ...opencode, name: "acpx", adapter: "acpx", timeOut: "timeoutMs" },
  { ...opencode, name: "@opencode-ai/sdk", adapter: "opencode-sdk", timeOut: "timeout of the server's start" }
]

export const idOf = (peer: Peer) => `${peer.name} ${peer.cli}`

export const peerOf = (id: string): Peer => {
  const peer = peers.find((each) => idOf(each) === id)
  if (peer === undefined) throw new Error(`no peer ${id}`)
  return peer
}
