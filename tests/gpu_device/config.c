/* The machine's configuration: presets, settings, files, and error messages. */
#include "chengying/device.h"
#include "support/test.h"

static void test_presets(void)
{
    static const struct {
        const char *name;
        uint32_t sms, warps, threads, sgprs, vgprs;
    } rows[] = {{"default", 0, 32, 32, 4096, 4096},
                {"rtl", 2, 8, 8, 4096, 4096},
                {"rtl32", 2, 8, 32, 4096, 4096},
                {"manual", 2, 8, 32, 256, 1024}};
    struct cy_config config;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CHECK_STR(cy_config_preset_name(i), rows[i].name);
        CHECK(cy_config_preset(&config, rows[i].name));
        CHECK_EQ(config.sms, rows[i].sms);
        CHECK_EQ(config.warps, rows[i].warps);
        CHECK_EQ(config.threads, rows[i].threads);
        CHECK_EQ(config.sgprs, rows[i].sgprs);
        CHECK_EQ(config.vgprs, rows[i].vgprs);
        CHECK_EQ(config.lds_bytes, 128 << 10);
        CHECK_EQ(config.workgroups, 8);
        CHECK_EQ(cy_config_check(&config, NULL), CY_OK);
    }
    CHECK(cy_config_preset_name(4) == NULL);
    CHECK(!cy_config_preset(&config, "rtx"));
}

static void test_file(void)
{
    static const char text[] = "# a machine\n"
                               "preset = rtl      # first, the rest changes it\n"
                               "\n"
                               "sms=4\r\n"
                               "  lds = 64K\n"
                               "memory = 1G\n"
                               "mask = lane\n"
                               "deterministic = yes\n"
                               "checking = off\n"
                               "stack = 0x20";
    struct cy_config config;
    cy_config_default(&config);
    CHECK_EQ(cy_config_parse(&config, "m.conf", text, sizeof(text) - 1, NULL), CY_OK);
    CHECK_EQ(config.sms, 4);
    CHECK_EQ(config.threads, 8);
    CHECK_EQ(config.lds_bytes, 65536);
    CHECK_EQ(config.memory_bytes, 1 << 30);
    CHECK_EQ(config.mask, CY_MASK_LANE);
    CHECK_EQ(config.deterministic, true);
    CHECK_EQ(config.checking, false);
    CHECK_EQ(config.stack_depth, 32);
}

/* The whole message for one bad line. */
static void check_message(const char *text, const char *expected)
{
    struct cy_config config, before;
    char *message = NULL;
    cy_config_default(&config);
    before = config;
    CHECK_EQ(cy_config_parse(&config, "m.conf", text, strlen(text), &message), CY_ERROR_INVALID);
    CHECK_STR(message, expected);
    CHECK(memcmp(&config, &before, sizeof(config)) == 0); /* nothing was changed */
    free(message);
}

static void test_mistakes(void)
{
    check_message("sms = 2\nwraps = 8\n", "m.conf:2:1: error: unknown setting 'wraps'; did you mean 'warps'?\n"
                                          "wraps = 8\n"
                                          "^~~~~\n");
    check_message("threads = many\n",
                  "m.conf:1:11: error: 'threads' needs a number (K, M and G are 2^10, 2^20, 2^30), not 'many'\n"
                  "threads = many\n"
                  "          ^~~~\n");
    check_message("lds = 12\n", "m.conf:1:7: error: 'lds' must be from 1024 to 268435456, not 12\n"
                                "lds = 12\n"
                                "      ^~\n");
    check_message("sms 4\n", "m.conf:1:1: error: expected 'key = value'\n"
                             "sms 4\n"
                             "^~~~~\n");
    check_message("sms =   # nothing\n", "m.conf:1:5: error: no value for 'sms': expected 'sms = value'\n"
                                         "sms =   # nothing\n"
                                         "    ^\n");
    check_message("mask = both\n", "m.conf:1:8: error: 'mask' needs packed or lane, not 'both'\n"
                                   "mask = both\n"
                                   "       ^~~~\n");
    check_message("checking = maybe\n", "m.conf:1:12: error: 'checking' needs yes or no, not 'maybe'\n"
                                        "checking = maybe\n"
                                        "           ^~~~~\n");
    check_message("preset = gtx\n", "m.conf:1:10: error: unknown preset 'gtx'; available: default, rtl, rtl32, manual\n"
                                    "preset = gtx\n"
                                    "         ^~~\n");
}

/* The interpreter's level: by name; the lowest is available everywhere; the device reports its level. */
static void test_engine_level(void)
{
    struct cy_config config;
    struct cy_capabilities capabilities;
    struct cy_device *device;
    char assignment[64], *message = NULL;
    uint32_t best = 0;
    CHECK(cy_engine_level_name(0) == NULL);
    CHECK(cy_engine_level_name(1) != NULL);
    for (uint32_t level = 1; cy_engine_level_name(level); level++) {
        cy_config_default(&config);
        CHECK_EQ(config.engine_level, 0);
        snprintf(assignment, sizeof(assignment), "engine-level=%s", cy_engine_level_name(level));
        CHECK_EQ(cy_config_set(&config, assignment, NULL), CY_OK);
        CHECK_EQ(config.engine_level, level);
        if (CHECK_EQ(cy_device_open(&config, &device, NULL), CY_OK)) {
            cy_device_capabilities(device, &capabilities);
            CHECK_EQ(capabilities.config.engine_level, level);
            cy_device_close(device);
        }
        best = level;
    }
    CHECK_EQ(cy_config_set(&config, "engine-level=best", NULL), CY_OK);
    CHECK_EQ(config.engine_level, 0);
    if (CHECK_EQ(cy_device_open(&config, &device, NULL), CY_OK)) {
        cy_device_capabilities(device, &capabilities);
        CHECK_EQ(capabilities.config.engine_level, best);
        cy_device_close(device);
    }
    CHECK_EQ(cy_config_set(&config, "engine-level=fast", &message), CY_ERROR_INVALID);
    CHECK(message && strstr(message, "error: unknown engine level 'fast'; available: best, ") != NULL);
    CHECK(message && strstr(message, cy_engine_level_name(best)) != NULL);
    free(message);
    config.engine_level = best + 1;
    CHECK_EQ(cy_config_check(&config, NULL), CY_ERROR_INVALID);
}

static void check_set(const char *assignment, const char *expected)
{
    struct cy_config config;
    char *message = NULL;
    cy_config_default(&config);
    CHECK_EQ(cy_config_set(&config, assignment, &message), CY_ERROR_INVALID);
    CHECK_STR(message, expected);
    free(message);
}

static void test_set(void)
{
    struct cy_config config;
    cy_config_default(&config);
    CHECK_EQ(cy_config_set(&config, "watchdog-instructions=1000000", NULL), CY_OK);
    CHECK_EQ(config.watchdog_instructions, 1000000);
    check_set("sms=2000", "error: 'sms' must be from 0 to 1024, not 2000\n");
    check_set("sms=99999999999999999999",
              "error: 'sms' needs a number (K, M and G are 2^10, 2^20, 2^30), not '99999999999999999999'\n");
    check_set("threads=12", "error: 'threads' must be a power of two from 4 to 64, not 12\n");
    check_set("sms", "error: no value for 'sms': expected 'sms = value'\n");
    check_set("sm", "error: unknown setting 'sm'; did you mean 'sms'?\n");
    check_set("", "error: expected 'key = value'\n");
    check_set("=4", "error: no key before '='\n");
}

static void check_shape(const char *assignments, const char *expected)
{
    struct cy_config config;
    char *message = NULL, copy[256];
    cy_config_default(&config);
    snprintf(copy, sizeof(copy), "%s", assignments);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        CHECK_EQ(cy_config_set(&config, word, NULL), CY_OK);
    struct cy_device *device = NULL;
    CHECK_EQ(cy_device_open(&config, &device, &message), CY_ERROR_INVALID);
    CHECK_STR(message, expected);
    free(message);
}

static void test_shapes(void)
{
    check_shape("sms=1024 lds=1M", "error: 1024 SMs of 1048576 bytes do not fit in the local memory window of "
                                   "268435456 bytes\n");
    struct cy_config config;
    struct cy_device *device = NULL;
    memset(&config, 0, sizeof(config));
    CHECK_EQ(cy_device_open(&config, &device, NULL), CY_ERROR_INVALID); /* not filled in */
    cy_config_default(&config);
    config.threads = 12;
    CHECK_EQ(cy_device_open(&config, &device, NULL), CY_ERROR_INVALID);
    cy_config_default(&config);
    config.deterministic = true;
    config.host_threads = 0;
    CHECK_EQ(cy_device_open(&config, &device, NULL), CY_OK);
    struct cy_capabilities capabilities;
    cy_device_capabilities(device, &capabilities);
    CHECK(capabilities.config.sms >= 1);
    CHECK_EQ(capabilities.config.host_threads, 1);
    CHECK_EQ(capabilities.config.stack_depth, 64);
    CHECK_EQ(capabilities.max_workgroup_size, 1024);
    CHECK_EQ(capabilities.memory_base, 0x90000000u);
    cy_device_close(device);
}

TEST_MAIN(test_presets, test_file, test_mistakes, test_engine_level, test_set, test_shapes)
