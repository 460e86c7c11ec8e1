// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the library logs while this is open. */
final class LogLines extends Handler implements AutoCloseable {

    private final Logger logger = Logger.getLogger("io.polylock");
    private final Level before = logger.getLevel();
    private final List<LogRecord> records = new CopyOnWriteArrayList<>();

    LogLines() {
        logger.setLevel(Level.WARNING);
        logger.setUseParentHandlers(false);
        logger.addHandler(this);
    }

    List<String> lines() {
        return records.stream().map(LogRecord::getMessage).toList();
    }

    List<Throwable> causes() {
        return records.stream().map(LogRecord::getThrown).toList();
    }

    @Override
    public void publish(LogRecord record) {
        records.add(record);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
        logger.setLevel(before);
    }
}
