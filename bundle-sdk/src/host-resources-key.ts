/** The extension that lets a bundle read the files of its workspace; in manifests, in handshakes and in `_meta`. */
export const HOST_RESOURCES = "ai.nimblebrain/host-resources";
