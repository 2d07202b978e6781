// Settings meant for the contract suite must not reach the tests of the settings.
for (const name of Object.keys(process.env)) {
  if (name.startsWith("QUEUEPROOF_")) delete process.env[name];
}
