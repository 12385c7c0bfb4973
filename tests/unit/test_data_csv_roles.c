/* SPDX-License-Identifier: Apache-2.0 */
/* Roles, labels and schemas of a CSV. */
#include "unit/csv_texts.h"

static void test_roles(void)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    o.weight = "w";
    o.time = "t";
    o.group = "g";
    o.amount = "m";
    scarce_table *t =
        must_read("w,t,g,m,y,z\n1,1970-01-02,k1,2.5,no,7\n0.5,1969-12-31T23:59:30.5Z,k2,1e3,yes,8\n"
                  "0, 2024-03-01 02:00+02:00 ,k1,-1,no,9\n",
                  &o);
    if (!t) return;
    CHECK(scarce_table_rows(t) == 3 && scarce_table_features(t) == 2 && scarce_table_positives(t) == 1);
    CHECK_TEXT(scarce_schema_name(scarce_table_schema(t), 0), "m");
    CHECK_TEXT(scarce_schema_name(scarce_table_schema(t), 1), "z");
    CHECK(scarce_table_weight(t)[1] == 0.5 && scarce_table_amount(t)[1] == 1000 &&
          scarce_table_numbers(t, 0)[1] == 1000);
    CHECK(scarce_table_time(t)[0] == 86400 && scarce_table_time(t)[1] == -29.5 &&
          scarce_table_time(t)[2] == 1709251200);
    CHECK(scarce_table_group(t)[0] == 0 && scarce_table_group(t)[1] == 1 && scarce_table_group(t)[2] == 0);
    CHECK_TEXT(scarce_table_group_name(t, 1), "k2");
    CHECK(scarce_table_label(t)[1] == 1); /* the rarer value */
    CHECK_TEXT(scarce_schema_positive(scarce_table_schema(t)), "yes");
    CHECK_TEXT(scarce_schema_label(scarce_table_schema(t)), "y");
    scarce_table_free(t);
}

static void test_labels(void)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t = must_read("a,class\n1,1.0\n2,0\n3,+1\n4, 1 \n5,0.0\n", &o);
    CHECK(t && scarce_table_positives(t) == 3 && scarce_table_label(t)[4] == 0);
    scarce_table_free(t);
    t = must_read("a;b\n1;TRUE\n2;FALSE\n3;TRUE\n", &o); /* semicolons; the last column; not the rarer one */
    CHECK(t && scarce_table_positives(t) == 2);
    scarce_table_free(t);
    o.positive = "c";
    t = must_read("a,y\n1,a\n2,b\n3,c\n", &o);
    CHECK(t && scarce_table_positives(t) == 1 && scarce_table_label(t)[2] == 1);
    scarce_table_free(t);
    o = (scarce_read_options)SCARCE_READ_OPTIONS_INIT;
    o.label_optional = 1;
    t = must_read("a,b\n1,2\n", &o);
    CHECK(t && scarce_table_features(t) == 2 && scarce_table_label(t) == NULL);
    scarce_table_free(t);
    o = (scarce_read_options)SCARCE_READ_OPTIONS_INIT;
    o.no_header = 1;
    o.label = "1";
    t = must_read("1,2,x\n0,3,y\n", &o);
    CHECK(t && scarce_table_features(t) == 2 && scarce_table_rows(t) == 2 &&
          scarce_table_numbers(t, 0)[1] == 3);
    CHECK_TEXT(scarce_schema_name(scarce_table_schema(t), 1), "3");
    scarce_table_free(t);
}

static void test_choices(void)
{
    static const char *const ignored[] = {"a"}, *const category[] = {"b"}, *const missing[] = {"-1", "none"};
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    o.ignore = (scarce_names){ignored, 1};
    o.categorical = (scarce_names){category, 1};
    o.missing = (scarce_names){missing, 2};
    scarce_table *t = must_read("a,b,c,label\n\"x\n,\",7,-1,0\ny,8,5,1\nz,none,,0\nz,7,none,0\n", &o);
    if (!t) return;
    CHECK(scarce_table_features(t) == 2 && scarce_schema_categories(scarce_table_schema(t), 0) == 2);
    CHECK(scarce_table_codes(t, 0)[0] == 0 && scarce_table_codes(t, 0)[2] == -1 &&
          scarce_table_codes(t, 0)[3] == 0);
    const float *c = scarce_table_numbers(t, 1);
    CHECK(isnan(c[0]) && c[1] == 5 && isnan(c[2]) && isnan(c[3]));
    scarce_table_free(t);
    /* out of range only matters in a column that stays numeric */
    o = (scarce_read_options)SCARCE_READ_OPTIONS_INIT;
    t = must_read("a,label\n1e400,0\n2,1\n3,1\nx,0\n", &o);
    CHECK(t && scarce_schema_kind(scarce_table_schema(t), 0) == SCARCE_COLUMN_CATEGORY);
    CHECK_TEXT(scarce_schema_category(scarce_table_schema(t), 0, 0), "1e400");
    scarce_table_free(t);
    t = must_read("a,label\ninf,0\n-Infinity,1\n", &o);
    CHECK(t && scarce_table_numbers(t, 0)[0] == INFINITY && scarce_table_numbers(t, 0)[1] == -INFINITY);
    scarce_table_free(t);
}

static void test_schema(void)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *train = must_read("num,cat,fraud\n1,a,y\n2,b,n\n3,a,n\n", &o), *t;
    if (!train) return;
    o.schema = scarce_table_schema(train);
    t = must_read("extra,cat,num\nq,b,7\nq,zz,\nq,?,9\n", &o);
    CHECK(t && scarce_table_features(t) == 2 && scarce_table_label(t) == NULL);
    if (t) {
        CHECK(scarce_table_numbers(t, 0)[0] == 7 && isnan(scarce_table_numbers(t, 0)[1]));
        CHECK(scarce_table_codes(t, 1)[0] == 1 && scarce_table_codes(t, 1)[1] == 2 &&
              scarce_table_codes(t, 1)[2] == -1);
    }
    scarce_table_free(t);
    t = must_read("fraud,cat,num\nn,b,7\nn,a,1\n", &o); /* one class is fine when scoring */
    CHECK(t && scarce_table_label(t) && scarce_table_positives(t) == 0);
    scarce_table_free(t);
    t = must_read("fraud,cat,num\n,b,7\n,a,1\n", &o);
    CHECK(t && scarce_table_label(t) == NULL);
    scarce_table_free(t);
    t = NULL;
    CHECK(read_text(&t, "nun,cat\n1,a\n", 12, &o, NULL, 1, &err) == SCARCE_EDATA && t == NULL);
    CHECK_TEXT(err.text,
               "t.csv: there is no column \"num\", which the model needs (the nearest name is \"nun\")");
    CHECK(read_text(&t, "num,cat\nx,a\n", 12, &o, NULL, 1, &err) == SCARCE_EPARSE && t == NULL);
    CHECK_TEXT(err.text,
               "t.csv:2: column 1 \"num\": \"x\" is not a number as in training (--missing \"x\" if it means "
               "missing; else fix the row)");
    scarce_table_free(train);
}

static const test_case tests[] = {
    {"roles", test_roles},
    {"labels", test_labels},
    {"choices", test_choices},
    {"schema", test_schema},
};
TEST_MAIN(tests)
