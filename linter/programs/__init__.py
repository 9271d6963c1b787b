"""Programs that are not ours: found, walled in, watched and ended. Only here a process is started."""
