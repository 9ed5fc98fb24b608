/** The id by which a delivery is taken once: that of its header, or a hash of its body; pure. */
import { createHash } from "node:crypto"
import type { Webhook, WebhookSignature } from "../webhookOptions.ts"

/** The first that a delivery has. Slack has none, and a header that is not signed could be added to a delivery. */
const usual: { readonly [S in WebhookSignature]: ReadonlyArray<string> } = {
  github: ["x-github-delivery"],
  gitlab: ["idempotency-key", "x-gitlab-event-uuid"],
  hmac: [],
  bearer: ["idempotency-key"]
}

const hashOf = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex")

/** Short, and without characters that a store refuses. */
const plain = (id: string) => (/^[\w.:-]{1,100}$/.test(id) ? id : `id.${hashOf(id)}`)

export const deliveryIdOf = (
  { signature, idHeader, once = "id" }: Pick<Webhook, "signature" | "idHeader" | "once">,
  headers: Headers,
  bytes: Uint8Array
): string => {
  const names = idHeader === undefined ? usual[signature] : [idHeader]
  const id = names.map((name) => headers.get(name)?.trim()).find((text) => text !== undefined && text !== "")
  return once === "body" || id === undefined ? `body.${hashOf(bytes)}` : plain(id)
}
