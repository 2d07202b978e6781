import { startReference } from "queueproof";
import { contractSuite } from "queueproof/vitest";

// One test for each check of what the API says of cancel.
const server = await startReference(); // in its place: your own server
contractSuite({
  only: ["CANC-*"],
  target: async () => ({ baseUrl: server.baseUrl, controlUrl: server.controlUrl }),
  onEnd: () => server.stop(),
});
